/** A hook and an event of the plugin's own: other plugins may put findings right, refuse them, and hear of them. */
import type { Hook, HookDefinition, Session } from 'pith';
import type { Entry, Finding } from './timeline';

/** A finding is about to be noted. */
export interface FindingEvent {
  readonly session: Session;
  readonly finding: Finding;
}
/** This finding instead. */
export interface ReviseFinding {
  readonly do: 'revise';
  readonly to: Finding;
}
/** It is not noted; the model is told why. */
export interface RefuseFinding {
  readonly do: 'refuse';
  readonly reason: string;
}

declare module 'pith' {
  interface HookMap {
    incident_finding: Hook<FindingEvent, ReviseFinding | RefuseFinding>;
  }
  interface EventMap {
    /** A finding was noted; `total` findings are on the timeline now. */
    'incident.noted': { readonly session: string; readonly entry: Entry; readonly total: number };
  }
}

/** How the hook behaves: a refusal ends the chain, a failing handler is skipped. */
export const FINDING_HOOK: HookDefinition<'incident_finding'> = {
  name: 'incident_finding',
  onError: 'skip',
  may: ['revise', 'refuse'],
  ends: ['refuse'],
  apply: (event, result) => (result.do === 'revise' ? { ...event, finding: result.to } : event),
};
