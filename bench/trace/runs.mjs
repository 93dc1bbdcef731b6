// What the runs of a generated trace do, and so which verdict each of them is to get.
import { below, isWithin } from './random.mjs';

// The contract's budget of iterations, and how many same calls at the end are no progress.
const BUDGET = 24;
const WINDOW = 3;
const FEWEST_ROUNDS = 5;
const EDGE_SHARE = 1 / 32;

/** Every verdict: its share of the runs, and how a run earns it. Most runs are closed_ok, as most are anywhere. */
const CLASSES = [
  { verdict: 'closed_ok', share: 0.7, stops: ['done'] },
  { verdict: 'closed_done', share: 0.03, stops: ['done'], isOverBudget: true },
  { verdict: 'closed_cap', share: 0.05, stops: ['budget'] },
  { verdict: 'closed_rejected', share: 0.03, stops: ['rejected'] },
  { verdict: 'closed_blocked', share: 0.03, stops: ['blocked'] },
  { verdict: 'closed_handoff', share: 0.02, stops: ['handoff'] },
  { verdict: 'bad_terminal', share: 0.02, stops: ['finished'] },
  { verdict: 'open_loop', share: 0.05, stops: [] },
  { verdict: 'no_progress', share: 0.04, stops: [], isSpinning: true },
  { verdict: 'bad_clock', share: 0.02, stops: ['done'], isSkipping: true },
  { verdict: 'double_stop', share: 0.01, stops: ['done', 'budget'] },
];
/** Every reason that a terminal gives. */
export const STOPS = [...new Set(CLASSES.flatMap(({ stops }) => stops))];

const pickClass = (random) => {
  const point = (random() >>> 0) / 2 ** 32;
  let sum = 0;
  return CLASSES.find(({ share }) => {
    sum += share;
    return point < sum;
  });
};

const roundsOf = ({ isOverBudget }, isEdge, wanted, random) => {
  if (isOverBudget) return BUDGET + 1 + (isEdge ? 0 : below(4, random()));
  if (isEdge) return BUDGET;
  return Math.min(BUDGET, Math.max(FEWEST_ROUNDS, Math.round(wanted / (1.5 + below(10, random()) / 10))));
};

const spunOf = ({ isSpinning }, isEdge, random) => {
  if (isSpinning) return WINDOW + (isEdge ? 0 : below(2, random()));
  return isEdge ? WINDOW - 1 : 0;
};

/**
 * Plans a run of about `spans` spans. Of the first runs, each gets another verdict, so that none is ever missing, and
 * gets it narrowly, as some of the others do: a bound that is off by one shows.
 */
export const planRun = (number, spans, random) => {
  const kind = CLASSES[number - 1] ?? pickClass(random) ?? CLASSES[0];
  const { verdict, stops, isSkipping } = kind;
  const isEdge = number <= CLASSES.length || isWithin(EDGE_SHARE, random());
  const wanted = Math.round(spans * (0.4 + below(1200, random()) / 1000));
  const rounds = roundsOf(kind, isEdge, wanted, random);
  const body = Math.max(rounds, wanted - 1 - stops.length);
  return {
    number,
    verdict,
    stops,
    rounds,
    body,
    spans: 1 + body + stops.length,
    iter: isSkipping ? rounds + 1 : rounds,
    spinsFrom: body - spunOf(kind, isEdge, random),
    skipsAfter: isSkipping ? 1 + below(rounds - 1, random()) : Number.POSITIVE_INFINITY,
  };
};

const roundOf = ({ body, rounds, spinsFrom }, index) => {
  if (index >= spinsFrom) return rounds - (body - 1 - index);
  const before = rounds - (body - spinsFrom);
  return 1 + Math.floor((index * before) / spinsFrom);
};

/** The iteration of a span; `position` counts a run's spans from 0. */
export const iterOf = (run, position) => {
  if (position === 0) return 0;
  if (position > run.body) return run.iter;
  const round = roundOf(run, position - 1);
  return round > run.skipsAfter ? round + 1 : round;
};

/** What a span is: its type, of which `random` decides the rest; spun calls and stops stand where the plan says. */
export const kindOf = (run, position, { model, other }, random) => {
  if (position === 0) return 'start';
  if (position > run.body) return run.stops[position - run.body - 1];
  if (position > run.spinsFrom) return 'spun';
  const isFirst = position === 1 || roundOf(run, position - 1) !== roundOf(run, position - 2);
  // One round of the model an iteration at most: more of them would be a loop that stands still.
  if (isFirst && isWithin((model * run.body) / run.rounds, random)) return 'model';
  return !isFirst && isWithin(other, random) ? 'other' : 'tool';
};
