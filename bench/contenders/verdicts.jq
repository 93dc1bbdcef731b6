# The classic verdict of each run, from rows sorted by run and order.
def started: {spans: 0, iter: 0, last: null, skips: false, stops: 0, reason: null, calls: 0, args: null};

# A new object each step: in jq that is faster than one that is changed.
def step($row):
  (if $row[2] == "" then null else $row[2] | tonumber end) as $iter
  | ($row[3] == "terminal") as $stops
  | ($row[3] == "tool") as $calls
  | {
      run: $row[0],
      spans: (.spans + 1),
      iter: (if $iter != null and $iter > .iter then $iter else .iter end),
      last: (if $iter == null then .last else $iter end),
      skips: (.skips or ($iter != null and .last != null and .last + 1 < $iter)),
      stops: (if $stops then .stops + 1 else .stops end),
      reason: (if $stops then $row[5] else .reason end),
      calls: (if $calls | not then .calls elif .args == $row[4] then .calls + 1 else 1 end),
      args: (if $calls then $row[4] else .args end)
    };

def verdict:
  if .stops > 1 then "double_stop"
  elif .skips then "bad_clock"
  elif .calls >= 3 and .args != "" then "no_progress"
  elif .stops == 0 then "open_loop"
  elif .reason == "done" then (if .iter <= 24 then "closed_ok" else "closed_done" end)
  elif .reason == "budget" then "closed_cap"
  elif .reason == "rejected" or .reason == "blocked" or .reason == "handoff" then "closed_\(.reason)"
  else "bad_terminal" end;

foreach (inputs, null) as $text (
  [null, null];
  if $text == null then [null, .[0]]
  else
    ($text | split("\t")) as $row
    | if .[0].run == $row[0] then [(.[0] | step($row)), null]
      else [(started | step($row)), .[0]] end
  end;
  .[1] | select(. != null) | "\(.run)\t\(verdict)\titer=\(.iter)\tspans=\(.spans)"
)
