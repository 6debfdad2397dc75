import { prose } from '../../core/testing';
import { stage, textOf } from './example-process';

describe('the custom loop', () => {
  it('reaches the checkpoint between turns and the one between requests, and goes on after both', async () => {
    let overflows = 0;
    await using scene = await stage('custom-loop', (request) => {
      if (request.last.startsWith('Overflow') && overflows++ === 0) return { error: 'overflow' };
      if (request.last.startsWith('Look'))
        return { text: 'Looking.', calls: [{ name: 'read_log', arguments: { service: 'mail', lines: 300 } }] };
      if (request.last.startsWith('Both'))
        return {
          calls: ['mail', 'web'].map((service) => ({ name: 'read_log', arguments: { service, lines: 1_000 } })),
        };
      if (request.last.startsWith('Think')) return { text: `Thought. ${prose(4_000)}` };
      return { text: 'All is well.' };
    });
    const talk = scene.start();
    talk.say('Look at mail.');
    await talk.until(/All is well\./);
    for (const n of [1, 2, 3, 4, 5]) {
      talk.say(`Think ${n}.`);
      await talk.until(/Thought\./);
    }
    await talk.until(/\[post_run: \d+ → \d+ tokens\]/);
    talk.say('Both logs in full.');
    await talk.until(/\[request: \d+ → \d+ tokens\][^]*All is well\./);
    for (const n of [6, 7]) {
      talk.say(`Think ${n}.`);
      await talk.until(/Thought\./);
    }
    talk.say('Overflow now?');
    await talk.until(/\[overflow: \d+ → \d+ tokens\][^]*All is well\./);
    const { code, stderr } = await talk.end();
    expect([code, stderr]).toEqual([0, '']);

    const { requests } = scene.provider;
    expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
    const compacted = requests.filter(({ system }) => system.join('').includes('[Compacted context summary'));
    expect(textOf(compacted[0])).toContain('Both logs in full.');
    for (const { system } of requests) expect(system[0]).toMatch(/^You watch over services\./);
  });
});
