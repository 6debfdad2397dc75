/** The plugin `incident`: what was found in an incident is kept in order, survives compactions, and shapes the summary. */
import { CLOCK, definePlugin } from 'pith';
import type { Plugin } from 'pith';
import { stockSummaryFormat, SUMMARY_FORMAT } from 'pith/plugins/compaction';
import { incidentConfig } from './config';
import { FINDING_HOOK } from './finding-hook';
import { incidentFormat } from './incident-format';
import { noteFinding } from './note-finding';
import { createTimeline, TIMELINE } from './timeline';

export type { FindingEvent, RefuseFinding, ReviseFinding } from './finding-hook';
export { incidentFormat } from './incident-format';
export { TIMELINE } from './timeline';
export type { Entry, Finding, Timeline } from './timeline';

const incident: Plugin = definePlugin({
  name: 'incident',
  api: 1,
  config: incidentConfig,
  needs: { clock: CLOCK },
  provides: [TIMELINE],
  replaces: [SUMMARY_FORMAT],
  setup({ config, needs: { clock }, hooks, bus, tools, provide }) {
    provide(TIMELINE, (session) => createTimeline(session, config.mostFindings));
    provide(SUMMARY_FORMAT, (stock = stockSummaryFormat) => (config.report ? incidentFormat(stock) : stock));
    hooks.define(FINDING_HOOK);
    tools.add(noteFinding({ clock, bus, dispatch: hooks.dispatch }));
  },
});

export default incident;
