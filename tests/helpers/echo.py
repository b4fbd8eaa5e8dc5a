"""A model program and its system, both as the text of a file."""

from __future__ import annotations

MODEL = '''
from outplay import Model, controllable, given, goal, observable


class Echo(Model):
    """Says back what it was told, and may cough before it does; knows when it has spoken."""

    words = ("a", "b")
    told: str = ""
    spoken: bool = False

    @controllable
    @given(word="words")
    def say(self, word):
        if self.told:
            return False
        self.told, self.spoken = word, False

    @observable
    @given(word="words")
    def echo(self, word):
        if word != self.told:
            return False
        self.told, self.spoken = "", True

    @observable(optional=True)
    def cough(self):
        return bool(self.told)

    @goal
    def answered(self):
        return self.spoken

    @goal
    def waiting(self):
        return bool(self.told)

    @goal
    def both(self):
        return bool(self.told) and self.spoken
'''

SYSTEM = """
import os
import sys

mode = sys.argv[1]
if mode == "family":
    import subprocess

    child = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open("pids", "a") as pids:
        print(os.getpid(), child.pid, file=pids, flush=True)
print("ready", flush=True)
for line in sys.stdin:
    word = line.split()[1]
    if mode == "wrong":
        word = {"a": "b", "b": "a"}[word]
    if mode == "crash":
        sys.exit("out of ideas")
    if mode == "mute":
        continue
    print("echo", word, flush=True)
"""
