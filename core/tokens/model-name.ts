/** Names of models as users, hosts and providers write them. */

/** Dates, versions and the like at the end of a name. */
const EDITION = /(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{4,8}|latest|preview|v\d{1,3}))*(?::(?:latest|\d{1,8}))?$/;

/** Longer names are nobody's; they are compared as they stand. */
const LONGEST_NAME = 128;

/** The name of a model without the provider in front of it, in lower case: `openrouter/anthropic/Claude-X` is `claude-x`. */
export function modelName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).toLowerCase();
}

/** Whether two names mean one model: providers answer with a dated edition of what was asked for, gateways write dots. */
export function sameModel(one: string, other: string): boolean {
  return baseName(one) === baseName(other);
}

function baseName(model: string): string {
  const name = modelName(model);
  return name.length > LONGEST_NAME ? name : name.replace(EDITION, '').replaceAll('.', '-');
}
