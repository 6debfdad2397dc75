/** The NATS transport (S4.1, S11), `pith/nats`. Loading it loads no NATS library; opening a link does. */
export { connected, openLink } from './link';
export type {
  Link,
  LinkEvent,
  LinkLog,
  LinkMessage,
  LinkOptions,
  LinkPublishOptions,
  LinkSubscription,
} from './link-contract';
export { createNatsBus } from './nats-bus';
export type { NatsBus, NatsBusOptions } from './nats-bus';
export { DEFAULT_TIMINGS } from './job-machine';
export type { Timings } from './job-machine';
