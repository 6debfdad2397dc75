/** The testing kit for plugin authors and hosts. */
export { checkRequest } from './validators';
export type { RequestBudget, RequestProfile, RequestRule, Violation } from './validators';
export type { RequestShape } from './request-turns';
export { busContract } from './bus-contract';
export type { BusCheck, BusPair, BusUnderTest } from './bus-contract';
