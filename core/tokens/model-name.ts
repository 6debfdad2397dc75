/** Names of models as users, hosts and providers write them. */

/** A date, a version or `latest` behind the name of a model. */
const EDITION = /^[-@:](\d{4}-\d{2}-\d{2}|\d{4,8}|latest|preview|v\d.*)+$/;

/** The name of a model without the provider in front of it, in lower case: `openrouter/anthropic/Claude-X` is `claude-x`. */
export function modelName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).toLowerCase();
}

/** Whether two names mean one model: providers answer with a dated edition of what was asked for. */
export function sameModel(one: string, other: string): boolean {
  const [short, long] = [modelName(one), modelName(other)].sort((left, right) => left.length - right.length) as [
    string,
    string,
  ];
  return long.startsWith(short) && (long === short || EDITION.test(long.slice(short.length)));
}
