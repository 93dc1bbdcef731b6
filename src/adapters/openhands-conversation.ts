import { goalOf, type World } from './adapter.js';
import { createEarlyResults } from './early-results.js';
import type { Call, Fields, LineOf, Result, RunWriter, Usage } from './run-writer.js';

/** What an error says that is no mere failure: a limit was reached, or the loop was seen to be stuck. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/maximum (?:number of )?iterations?\b|MaxIterationsReached/i, 'MaxIterationsReached'],
  [/maximum budget|max(?:imum)?_budget/i, 'budget_exhausted'],
  [/AgentStuckInLoop|stuck in a loop/i, 'stuck'],
  [/ContextWindowExceeded/, 'ContextWindowExceededError'],
];
const causeIn = (text: string): string | undefined => CAUSES.find(([pattern]) => pattern.test(text))?.[1];

/** States in which it waits for a person. */
const WAITS = new Set(['awaiting_user_input', 'awaiting_user_confirmation', 'paused', 'waiting_for_confirmation']);
/** States that say nothing of an end. */
const NEUTRAL = new Set(['loading', 'init', 'idle', 'deleting']);
const GOES_ON = new Set(['running', 'user_confirmed']);

/** One conversation of OpenHands, told by events of either version. */
export class Conversation {
  readonly #world: World;
  readonly #early: ReturnType<typeof createEarlyResults>;
  readonly #calls = new Set<string>();
  #writer: RunWriter;
  #isStarted = false;
  #round: string | undefined;
  #cause: string | undefined;

  constructor(world: World, runId: string) {
    this.#world = world;
    this.#early = createEarlyResults(world);
    this.#writer = world.run(runId);
  }

  /** Another input goes on with it. */
  goOn(): void {
    this.#writer = this.#world.run(this.#writer.runId);
  }

  /** What is asked of the agent; all but the first goes on with the run. */
  prompt(line: LineOf, text: string, ts: string | undefined): void {
    if (this.#isStarted) this.#writer.resume();
    this.#startOnce(line, goalOf('task', text), ts);
    this.#cause = undefined;
  }

  /** A response of the model; several actions may come of one. */
  respond(line: LineOf, response: string | undefined, usage: Usage, ts: string | undefined): void {
    this.#startOnce(line, undefined, ts);
    if (response !== undefined && response === this.#round) return;
    this.#round = response;
    this.#writer.round(line, usage, { ts });
  }

  call(line: LineOf, call: Call & { readonly id: string }): void {
    this.#writer.call(line, call);
    this.#calls.add(call.id);
    const early = this.#early.take(call.id);
    if (early !== undefined) this.#writer.result(call.id, early);
  }

  /** The result of a call, by one of the ids that it may go by. */
  result(ids: readonly string[], result: Result): void {
    const id = ids.find((each) => this.#calls.has(each)) ?? ids[0];
    if (id === undefined || this.#writer.result(id, result) || this.#calls.has(id)) return;
    this.#early.hold(id, result);
  }

  end(): void {
    this.#early.end();
  }

  /** The agent says that it is done, and how far. */
  finish(line: LineOf, completed: unknown): void {
    const word = typeof completed === 'boolean' ? String(completed) : completed;
    const isPart = word === 'partial' || word === 'false';
    const value = isPart ? `task_completed_${word}` : 'finished';
    this.#writer.stop(line, { value, isInferred: false, ...(word === 'true' && { claim: 'goal' as const }) });
  }

  stop(line: LineOf, value: string, detail?: string, more?: Fields): void {
    this.#startOnce(line, undefined, undefined);
    this.#writer.stop(line, { value, detail, isInferred: false, ...(more && { more }) });
  }

  interrupt(line: LineOf): void {
    this.stop(line, 'user_interrupt', 'user_interrupt');
  }

  /** An error of the loop. Whether it says what ended it. */
  fail(line: LineOf, text: string, word: string): void {
    this.#cause = causeIn(text);
    if (this.#cause === 'stuck') this.#stuck(line);
    else this.stop(line, this.#cause ?? 'error', word);
  }

  /** An error that need not be the end: what it says counts when the state says that it is. */
  note(text: string): void {
    this.#cause = causeIn(text) ?? this.#cause;
  }

  /** The state that the loop is in from now on. */
  enter(line: LineOf, state: string, reason: string): void {
    const { stopSoFar } = this.#writer;
    if (NEUTRAL.has(state)) return;
    if (GOES_ON.has(state)) {
      this.#writer.resume();
      this.#cause = undefined;
    } else if (WAITS.has(state)) {
      // An interrupt pauses as well.
      if (stopSoFar?.detail !== 'user_interrupt') this.#writer.wait(line, 'human');
    } else if (state === 'error') {
      // That the iterations were used up says more.
      const cause = causeIn(reason) ?? this.#cause;
      if (cause === 'stuck') this.#stuck(line);
      else if (cause !== undefined || stopSoFar === undefined || stopSoFar.value === 'finished') {
        this.stop(line, cause ?? 'error', cause === undefined ? 'error' : undefined);
      }
    } else if (state === 'stuck') this.#stuck(line);
    else if (state === 'finished') {
      if (stopSoFar === undefined) this.stop(line, 'finished');
    } else if (state === 'stopped') {
      // What has ended is stopped as it is closed.
      if (stopSoFar === undefined) this.interrupt(line);
    } else this.stop(line, state);
  }

  #stuck(line: LineOf): void {
    if (this.#writer.stopSoFar?.value === 'stuck') return;
    this.#writer.span(line, { type: 'guard', action: 'halt', code: 'stuck' });
    this.stop(line, 'stuck', 'stuck', { guard_code: 'stuck' });
  }

  #startOnce(line: LineOf, goal: string | undefined, ts: string | undefined): void {
    if (!this.#isStarted) this.#writer.start(line, goal, ts);
    this.#isStarted = true;
  }
}
