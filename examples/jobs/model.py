"""A queue of jobs: each one accepted is finished with the square of its size, unless it was cancelled in time."""

from outplay import Model, controllable, given, observable


class Jobs(Model):
    most = 3

    size_of: tuple[int, ...] = ()  # of the jobs by their numbers, from 1
    open: frozenset[int] = frozenset()
    asked: tuple[str, int] = ("", 0)  # the call that is not answered yet

    @controllable
    @given(size=(1, 2, 3))
    def submit(self, size):
        if self.asked[0] or len(self.size_of) == self.most:
            return False
        self.asked = ("submit", size)

    @observable
    @given(job=lambda self: [len(self.size_of) + 1])
    def accepted(self, job):
        if self.asked[0] != "submit":
            return False
        self.size_of += (self.asked[1],)
        self.open |= {job}
        self.asked = ("", 0)

    @controllable
    @given(job=lambda self: range(1, len(self.size_of) + 1))
    def cancel(self, job):
        if self.asked[0]:
            return False
        self.asked = ("cancel", job)

    @observable
    @given(job="asked_to_cancel")
    def cancelled(self, job):
        if job not in self.open:
            return False
        self.open -= {job}
        self.asked = ("", 0)

    @observable
    @given(job="asked_to_cancel")
    def too_late(self, job):
        self.asked = ("", 0)

    @observable
    @given(job="open", result=(1, 4, 9))
    def finished(self, job, result):
        if result != self.size_of[job - 1] ** 2:
            return False
        self.open -= {job}

    def asked_to_cancel(self):
        return [self.asked[1]] if self.asked[0] == "cancel" else []
