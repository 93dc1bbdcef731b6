import { expect, test } from 'vitest';
import { judged } from './judged.js';

const trajectory = (exitStatus: string | null) =>
  JSON.stringify({
    trajectory: [{ action: 'ls\n', observation: 'a', response: 'I look.' }],
    info: { exit_status: exitStatus, model_stats: {} },
  });

test('runs are named after their files, and files of one name after their folders too', async () => {
  const { verdicts } = await judged({
    'one/task-1.traj': trajectory('submitted'),
    'two/task-1.traj': trajectory('exit_cost'),
    'two/task-2.traj': trajectory(null),
  });
  expect(verdicts).toEqual(['task-1 closed_ok iter=1', 'task-2 open_loop iter=1', 'two/task-1 closed_cap iter=1']);
});

test('a trajectory that is cut cannot be read, and is no pass', async () => {
  const { verdicts, code } = await judged({ 'a.traj': trajectory('submitted').slice(0, -20) }, '--from', 'swe-agent');
  expect(verdicts).toEqual([]);
  expect(code).toBe(2);
});
