"""A queue of jobs: each one accepted is finished with the square of its size, unless it was cancelled in time."""

from outplay import Model, controllable, given, observable


class Jobs(Model):
    numbers = (1, 2, 3)

    size_of: tuple[int, ...] = ()  # of the jobs by their numbers, from 1
    open: frozenset[int] = frozenset()

    @controllable(returns="numbers")
    @given(size=(1, 2, 3))
    def submit(self, size, result):
        """Answer with the number of the job, the next one."""
        if result != len(self.size_of) + 1:
            return False
        self.size_of += (size,)
        self.open |= {result}

    @controllable(returns=("cancelled", "too_late"))
    @given(job=lambda self: range(1, len(self.size_of) + 1))
    def cancel(self, job, result):
        if result == "cancelled":
            if job not in self.open:
                return False
            self.open -= {job}

    @observable
    @given(job="open", result=(1, 4, 9))
    def finished(self, job, result):
        if result != self.size_of[job - 1] ** 2:
            return False
        self.open -= {job}
