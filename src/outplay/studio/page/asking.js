// Asking the server: objects, scenes as typed arrays, and streams of what happens.
export class Refusal extends Error {}

async function answered(response) {
  if (response.ok) return response;
  let why = response.statusText;
  try { why = (await response.json()).error; } catch { /* no words came */ }
  throw new Refusal(why);
}

export async function ask(name, given = {}) {
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== undefined));
  return (await answered(await fetch(`ask/${name}?${query}`))).json();
}

export async function act(name, given = {}) {
  const how = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(given) };
  return (await answered(await fetch(`ask/${name}`, how))).json();
}

const KINDS = { float32: Float32Array, uint8: Uint8Array, uint32: Uint32Array, int32: Int32Array };

// A header and typed arrays out of one piece of bytes; arrays are views of it, nothing is copied.
export function unpacked(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  for (const [name, kind, count] of header.arrays) {
    header[name] = new KINDS[kind](buffer, at, count);
    at += Math.ceil(header[name].byteLength / 4) * 4;
  }
  return header;
}

export async function askScene(given) {
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== undefined));
  return unpacked(await (await answered(await fetch(`ask/scene?${query}`))).arrayBuffer());
}

// Listen to a stream; `take` gets each piece. Returns a function that ends it.
export function listen(name, given, take) {
  const source = new EventSource(`listen/${name}?${new URLSearchParams(given)}`);
  source.addEventListener("message", message => take(JSON.parse(message.data)));
  source.addEventListener("ended", () => source.close());
  return () => source.close();
}
