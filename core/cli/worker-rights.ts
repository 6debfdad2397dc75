/** What a server does not let a worker process hear that it cannot do jobs without (S11). */
import type { Link, LinkEvent } from '../bus/nats';
import { isDiscovery } from '../bus/nats/micro';

/** Hears a subject of the inbox from now on, so that a server that denies the inbox says so before there is a job. */
export function hearInbox(link: Link): void {
  link.subscribe(`${link.inbox}.heard`, () => undefined);
}

/**
 * The right that an event says is missing, as permissions name it; undefined where none is, or where jobs are done without it,
 * as they are without discovery.
 */
export function missingRight(event: LinkEvent, { name, inbox }: Link, namespace: string): string | undefined {
  if (event.type !== 'denied' || event.operation !== 'subscribe' || isDiscovery(event.subject)) return undefined;
  const { subject } = event;
  const control = `${namespace}.v1.ctl.${name}.`;
  if (subject.startsWith(control)) return `${control}>`;
  return subject.startsWith(`${inbox}.`) ? `_INBOX.${name}.>` : subject;
}

/** What to do about it. */
export function cureOf(right: string, { name }: Link): string {
  return right.includes(`.${name}.`)
    ? `The name of this process is "${name}": give it the name that the permissions of its user are for, with --name or name of [transport].`
    : 'Compare --tenant, --pool and --namespace with the permissions of its user.';
}
