// Saving files from the page.
export function download(name, content, kind) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
