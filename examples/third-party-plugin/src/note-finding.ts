/** The tool of the plugin. */
import { defineTool } from 'pith';
import type { Bus, Clock, Dispatch, Tool, ToolResult } from 'pith';
import { z } from 'zod';
import { renderTimeline, TIMELINE } from './timeline';

interface ToolParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly dispatch: Dispatch;
}

/** Makes the tool that notes a finding. Of kind `state`: its newest result is carried over while an entry is open. */
export function noteFinding({ clock, bus, dispatch }: ToolParts): Tool {
  return defineTool({
    name: 'note_finding',
    description:
      'Notes what was found out in the incident, in one sentence. Note it again with the same text and status "settled" once nothing more is to be done about it.',
    kind: 'state',
    input: z.object({
      kind: z.enum(['symptom', 'cause', 'action']),
      text: z.string().trim().min(1).max(300),
      status: z.enum(['open', 'settled']).default('open'),
    }),
    async run(finding, { session, signal }): Promise<ToolResult> {
      const { event, ended } = await dispatch('incident_finding', { session, finding }, signal);
      if (ended?.result.do === 'refuse')
        return { summary: `Error: The finding was not noted: ${ended.result.reason}`, isError: true };
      const timeline = session.get(TIMELINE);
      const entry = { ...event.finding, at: clock.now() };
      if (!timeline.add(entry))
        return { summary: 'Error: The timeline is full; no more findings are taken.', isError: true };
      const entries = timeline.entries();
      bus.publish('incident.noted', { session: session.id, entry, total: entries.length });
      return { summary: `Noted: ${entry.kind}, ${entry.status}`, content: renderTimeline(entries) };
    },
  });
}
