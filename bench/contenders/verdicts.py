"""The classic verdict table in Python, as a careful script would answer it: all spans are held, then judged run by run.

    python3 verdicts.py < trace.jsonl

Prints one line a run, as `terminal-contract --profile classic` does; exits with 0, 1 if a run fails, or 2 if a line
cannot be used. Standard library alone.
"""

import json
import re
import sys
from collections import defaultdict

BUDGET = 24
WINDOW = 3
GREATEST = 2**53 - 1
LINE_LIMIT = 16 * 1024 * 1024
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TEXTS = (
    "type",
    "name",
    "args_hash",
    "result_hash",
    "worktree",
    "result_hash_raw",
    "action_hash",
    "command_hash",
    "state_hash",
)
CLOSED = {
    "budget": "closed_cap",
    "rejected": "closed_rejected",
    "blocked": "closed_blocked",
    "handoff": "closed_handoff",
}
FAILING = {"double_stop", "bad_clock", "no_progress", "open_loop", "bad_terminal"}

UNSAFE = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
UNSAFE_PATTERN = re.compile(UNSAFE)
AMBIGUOUS_PATTERN = re.compile(r"\\(?=[tnru\\]|" + UNSAFE + ")")
SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def printable(text):
    doubled = AMBIGUOUS_PATTERN.sub(lambda _: "\\\\", text)
    return UNSAFE_PATTERN.sub(lambda found: SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}", doubled)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def integer(value):
    """The whole number that a value is, None where it is none; 1.0 is one, true is not."""
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and -GREATEST <= value <= GREATEST else None


def read_span(line, position):
    """The line's fields, with what orders it as `key`; None for a line that is no span."""
    try:
        fields = json.loads(line.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError):
        return None
    if type(fields) is not dict:
        return None
    run_id = fields.get("run_id")
    if type(run_id) is not str or run_id == "":
        return None
    seq = fields.get("seq")
    if seq is not None and (seq := integer(seq)) is None:
        return None
    iteration = fields.get("iter")
    if iteration is not None and ((iteration := integer(iteration)) is None or iteration < 0):
        return None
    for key in TEXTS:
        text = fields.get(key)
        if text is not None and type(text) is not str:
            return None
    fields["key"] = position if seq is None else seq
    fields["iter"] = iteration
    return fields


def verdict_of(spans):
    stops = [span for span in spans if span.get("type") == "terminal"]
    if len(stops) > 1:
        return "double_stop"
    iterations = [span["iter"] for span in spans if span["iter"] is not None]
    if any(left + 1 < right for left, right in zip(iterations, iterations[1:])):
        return "bad_clock"
    calls = [span.get("args_hash") for span in spans if span.get("type") == "tool"][-WINDOW:]
    if len(calls) == WINDOW and calls[0] and all(call == calls[0] for call in calls):
        return "no_progress"
    if not stops:
        return "open_loop"
    reason = stops[0].get("reason")
    if reason == "done":
        return "closed_ok" if max(iterations, default=0) <= BUDGET else "closed_done"
    return CLOSED.get(reason, "bad_terminal") if type(reason) is str else "bad_terminal"


def read_runs(stream):
    runs = defaultdict(list)
    unusable = 0
    for position, line in enumerate(stream, start=1):
        if position == 1 and line.startswith(BYTE_ORDER_MARK):
            line = line[len(BYTE_ORDER_MARK) :]
        has_end = line.endswith(b"\n")
        text = line.strip(b" \t\r\n")
        if text == b"":
            continue
        span = read_span(text, position) if len(line) <= LINE_LIMIT else None
        if span is not None:
            runs[span["run_id"]].append(span)
        elif has_end:
            unusable += 1
    return runs, unusable


def main():
    # A number of many digits is a number, however long it takes.
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    runs, unusable = read_runs(sys.stdin.buffer)
    failed = False
    lines = []
    for run_id in sorted(runs):
        spans = sorted(runs[run_id], key=lambda span: span["key"])
        verdict = verdict_of(spans)
        failed = failed or verdict in FAILING
        greatest = max((span["iter"] for span in spans if span["iter"] is not None), default=0)
        lines.append(f"{printable(run_id)}\t{verdict}\titer={greatest}\tspans={len(spans)}\n")
    sys.stdout.buffer.write("".join(lines).encode("utf-8"))
    return 2 if unusable > 0 else int(failed)


if __name__ == "__main__":
    sys.exit(main())
