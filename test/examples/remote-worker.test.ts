import { describeWithNats } from '../support/nats-server';
import { stage } from './example-process';

describeWithNats('the pool of remote workers', () => {
  it('has all four sessions compacted, although a worker is killed in the middle of its jobs', async () => {
    await using scene = await stage('remote-worker', []);
    const { code, stdout, stderr } = await scene.start().end();
    const lines = stdout.trim().split('\n');
    expect([code, lines.at(-1)]).toEqual([0, '4 of 4 sessions are compacted']);
    expect(lines).toContain('worker-1 is killed in the middle of 2 jobs');
    const served = lines.flatMap(
      (line) => /^(agent-\d): compaction-\w+ by (worker-\d), (\d+) → (\d+) tokens$/.exec(line) ?? [],
    );
    const of = (part: number): readonly string[] => served.filter((_, at) => at % 5 === part);
    expect(of(1)).toEqual(['agent-1', 'agent-2', 'agent-3', 'agent-4']);
    expect(of(2)).toEqual(Array.from({ length: 4 }, () => 'worker-2'));
    for (const [at, before] of of(3).entries()) expect(Number(of(4)[at])).toBeLessThan(Number(before) / 2);
    expect(stderr.match(/The job was given out once more/g)).toHaveLength(2);
    expect(scene.provider.requests).toEqual([]);
  });
});
