import { prose } from '../../core/testing';
import { isOfWorker, stage, textOf } from './example-process';

const SUMMARY = `## Open Issues
### ticket:1234
Mara was charged twice (INV-2210). The second charge has no order; the release is under way.

## Settled Issues
(none)

## Promises
(none)

## Next Step
Tell Mara when the money is back.`;

describe('the support agent', () => {
  it('summarises in the sections of its own, with the tickets of then read again', async () => {
    let drafts = 0;
    await using scene = await stage('support-agent', (request) => {
      if (isOfWorker(request)) {
        if (request.last.includes('Summary taken') && drafts > 1) return 'Done.';
        // The first draft has the sections of another format.
        const text = drafts++ === 0 ? '## Current Work\nMara waits.' : SUMMARY;
        return {
          calls: [
            { name: 'mark_read_required', arguments: { path: '#1234' } },
            { name: 'write_summary', arguments: { text } },
          ],
        };
      }
      if (request.last.startsWith('See')) return { calls: [{ name: 'read_file', arguments: { path: 'ticket:1234' } }] };
      if (request.last.startsWith('Answer'))
        return {
          calls: [{ name: 'answer_ticket', arguments: { ticket: '1234', text: 'The release is under way.' } }],
        };
      return { text: `Well. ${prose(4_000)}` };
    });
    const talk = scene.start();
    for (const prompt of ['See 1234.', 'Answer her.', 'More?', 'More?', 'More?', 'More?']) {
      talk.say(prompt);
      await talk.until(/\[finished\]/);
    }
    await talk.until(/\[compacted: \d+ → \d+ tokens, tickets read again: 1\]/);
    talk.say('And now?');
    await talk.until(/\[finished\]/);
    const { code, stderr, stdout } = await talk.end();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('[answer_ticket: ');

    expect(scene.provider.requests.flatMap(({ violations }) => violations)).toEqual([]);
    const worker = scene.provider.requests.filter(isOfWorker);
    expect(textOf(worker[0])).toContain('### ticket:NUMBER');
    expect(textOf(worker[1])).toContain('The section "## Open Issues" is missing.');
    const last = scene.agentRequests().at(-1);
    expect(last?.tools).toEqual(expect.arrayContaining(['read_file', 'answer_ticket']));
    expect(last?.tools).not.toContain('write_file');
    const system = last?.system.join('\n') ?? '';
    expect(system).toContain(SUMMARY);
    // What the ticket says now: the answer stands in it.
    expect(system).toContain('[Auto-read file: ticket:1234]\nTicket 1234: Charged twice');
    expect(system).toContain('Desk: The release is under way.');
    expect(last?.last).toBe('And now?');
  });
});
