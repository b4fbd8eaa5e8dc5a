
import sys
seen = 0
for line in sys.stdin:
    if line.strip() == "a":
        seen += 1
        print("x" if seen % 3 else "z", flush=True)
