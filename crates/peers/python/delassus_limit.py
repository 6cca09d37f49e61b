"""A time limit for solvers that have none."""
import time


def timed(solve):
    """`solve`, run from its start with 64, 256, … iterations until it converges or time is short.

    The answer, and its time, are those of the last run, which is what one run with its number of
    iterations gives.
    """
    def limited(prepared, request):
        began, count = time.perf_counter(), min(64, request.max_iterations)
        while True:
            start = time.perf_counter()
            answer = solve(prepared, request._replace(
                max_iterations=count, start=request.start.copy()))
            took = time.perf_counter() - start
            if answer.seconds is None:
                answer = answer._replace(seconds=took)
            by_itself = answer.claimed == "converged" or answer.iterations < count
            if by_itself or count == request.max_iterations:
                return answer
            left = request.max_seconds - (time.perf_counter() - began)
            possible = int(0.8 * left / took * count)
            if possible <= count:
                claimed = "time" if answer.claimed == "limit" else answer.claimed
                return answer._replace(claimed=claimed)
            count = min(4 * count, possible, request.max_iterations)

    return limited
