"""A register with optimistic locking, on standard input and output; `--fault` names a mistake it then makes.

    python locked_register.py [--fault late|same|blank]

`late` lets a write pass that is one version late, `same` keeps the version where the text stays as it was, `blank`
takes an empty text for no text at all.
"""

import json
import sys


def words(line: str) -> list:
    """The words of a line; texts that could be read as something else are quoted."""
    decoder, found, rest = json.JSONDecoder(), [], line.strip()
    while rest:
        if rest[0] == '"':
            word, end = decoder.raw_decode(rest)
        else:
            end = (rest + " ").index(" ")
            word = rest[:end]
        found.append(word)
        rest = rest[end:].lstrip()
    return found


def main(fault: str) -> None:
    version, content = 0, ""
    for line in sys.stdin:
        what, *given = words(line)
        if what == "read":
            print("found", version, json.dumps(content), flush=True)
            continue
        seen, new = int(given[0]), given[1]
        if seen != version and not (fault == "late" and seen == version - 1):
            print("conflict", version, flush=True)
            continue
        if not (fault == "same" and new == content):
            version += 1
        if not (fault == "blank" and not new):
            content = new
        print("stored", version, flush=True)


if __name__ == "__main__":
    main(sys.argv[2] if sys.argv[1:2] == ["--fault"] else "")
