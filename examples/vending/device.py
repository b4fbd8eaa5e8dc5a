"""A vending machine on standard input and output: one message a line, as `vending.aut` allows.

It runs out of coffee every so often. With --bug it keeps the money then.
"""

import random
import sys


def main() -> None:
    bug = "--bug" in sys.argv[1:]
    rng = random.Random()
    print("ready", flush=True)
    paid = False
    for line in sys.stdin:
        match line.strip():
            case "coin" if paid:
                print("money", flush=True)
            case "coin":
                paid = True
            case "refund" if paid:
                paid = False
                print("money", flush=True)
            case "coffee" if paid:
                paid = False
                if rng.random() < 0.7:
                    print("coffee", flush=True)
                elif bug:
                    print("sold_out", flush=True)  # THE BUG: and the money?
                else:
                    print("sold_out", "money", sep="\n", flush=True)


if __name__ == "__main__":
    main()
