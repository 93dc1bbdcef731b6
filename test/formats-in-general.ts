/** What stands at the top of `docs/formats.md`. */
export const FORMATS_IN_GENERAL = `# Formats

Beside native lines, these files are read as they are: transcripts, event streams and telemetry that agents write
already. What an input is, is known by what it holds, whatever its name; \`--from ID\` says it, \`--from native\`
forbids it. What was recognised is said on stderr, with what of it was not understood. \`terminal-contract formats\`
prints the list.

The first of these commands judges what Claude Code and Codex have left on a machine:

\`\`\`sh
terminal-contract ~/.claude/projects ~/.codex/sessions
terminal-contract fixtures/formats/codex-exec
terminal-contract convert fixtures/formats/claude-code/two-turns.jsonl
\`\`\`

**Where from.** Files, patterns, a pipe, and folders with all that is below them: files that are no trace are left out,
and counted. JSON Lines, a list, one document, objects printed over several lines or several in a line. gzip, zstd (from
Node 22.15 on), brotli (by the name \`.br\`) and UTF-16 are taken off, and of a zip archive that
is an \`.eval\` log the samples are read; a database is refused with the command that exports
it. \`--since 7d\` and \`--until 2026-03-01\` keep the runs that were alive then, by the trace's own times; a run across
the edge is held to what \`--partial\` asks.

**What a run is.** A turn: from a prompt to the stop after it. \`--run session\` makes one run of all of a session.

**How a run stops.** Few formats record it. Where the stop follows from something else, such as the stop reason of the
last response, the terminal is \`inferred\`. Only the last stop of a turn counts, and only if no work follows it; where
nothing says that a run stopped, it is \`open_loop\`. An interrupt is \`rejected\` with the detail \`user_interrupt\`. A run
that waits for a person has not stopped: its last span is \`wait_start\`, and it is \`open_loop\`. Mostly a transcript
shows that the turn ended, not that the goal was reached: the \`claim\` of a terminal is \`turn_ended\` or \`goal\`.

**Order and iterations.** Order is that of the file, never of the times in it. Copies that a resumed or forked session
brings are read once. Nobody numbers iterations, so they are counted by model responses, and \`bad-clock\` is not judged.

**Digests.** Arguments and results are digested (RFC 8785, SHA-256) and forgotten. What differs from call to call
although the call is the same is left out before; both digests of a result are kept, so that \`volatile-result\` can
speak. Where a source has no arguments, \`no-progress\` cannot be judged, and says so. A config extends the tables:

\`\`\`yaml
stop_reasons:
  usage_limit_exceeded: budget
volatile:
  args:
    Bash: [timeout]
  results: ['took \\d+ ms']
\`\`\`

**Convert.** \`terminal-contract convert FILES > native.jsonl\` writes the native trace that is judged the same.

## Reasons

What the words of the formats stand for; \`format:word\` is the word of one format alone. A word that is not here stays
as it is, and is \`bad_terminal\`.
`;
