# One row a span: run_id, what orders it, iter, type, args_hash, reason; empty for what is missing.
[
  .run_id,
  (.seq // input_line_number),
  .iter,
  .type,
  .args_hash,
  (if .type == "terminal" then (.reason | if type == "string" then . else "?" end) else null end)
] | @tsv
