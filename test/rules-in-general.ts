/** The first part of docs/rules/README.md: what holds for every rule. */
export const RULES_IN_GENERAL = `# Rules

A rule is one thing that the contract asks for. Each has a page here: what a run does that keeps it, why, what it reads,
when it cannot be judged, what to do, and an example of each kind. \`terminal-contract rules ID\` prints the same.

## What a rule says of a run

One of three things: nothing, a finding, or that it could not be judged (\`unverifiable\`), with the reason.

A rule gives at most one finding a run, at the first place where it was broken; the finding's \`evidence\` counts the
others. So \`by_rule\` in the summary counts the runs in which a rule was broken, not the places.

A finding of severity \`error\` fails its run, one of severity \`warn\` does not. A rule that is \`off\` says nothing.
Severities come from the profile, and can be set rule by rule; the verdict of a run is found whatever they are, and
fails it only as far as they do.

## What could not be judged

A rule that lacks its evidence is listed under \`unverifiable\`, and nothing more comes of it: it fails no run, under
\`strict\` neither. Where the contract requires its family (\`require\`), it fails the run, whatever its severity but \`off\`.

The rules of termination and order are asked of every run. Those of another family are asked of a run that carries
their spans or fields anywhere, or of every run where their family is required: the run then has to carry what the page
names, or the rule is \`unverifiable\`.

With \`--partial\` the input is a window. What may lie outside of it is unverifiable, and a run without a terminal is
inconclusive.

## Whose number holds

The command line, then the config file, then the header, then the run's own \`contract\`, then the default. The first of
these that says a number decides it: a run's own number under a header's is not used, the stricter one neither; a looser
one is also a finding, \`contract-loosened\`. Of several contracts in one run the strictest number counts.

Using up \`budget\`, \`max_ms\` or \`max_tokens\` exactly is lawful, and bears out \`reason: "budget"\`; the rail is then
used up, but not passed. Once \`max_ms\` is used up the iteration at hand may finish (\`over-time\`); once \`max_tokens\` are,
no span may carry more of them (\`over-tokens\`).

A reason that the contract adds as \`fail\` fails the run by its verdict, \`closed_<reason>\`, without a finding.

An empty \`goal\`, \`args_hash\`, \`state_hash\`, \`predicate_id\`, \`gate\`, \`action_hash\`, \`request_id\` or \`successor_run\` is a
missing one. A \`goal_check\` or a \`receipt\` that names no \`emitter\` is taken for the agent's own word.
`;
