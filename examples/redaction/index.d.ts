import type { Plugin } from 'pith';

/** The plugin `redaction`: masks secrets before a model, a compact worker or a log sees them. */
declare const redaction: Plugin;
export = redaction;
