/** What a session holds, found without the code that writes summaries, so that summaries can be judged by it. */
import { stripVTControlCharacters } from 'node:util';
import { maskSecrets } from '../../plugins/guard/secrets';
import type { CompactRun } from '../../core/cli/compact-run';
import { saysFailed } from '../../core/files/read-output';
import { createSessionFiles } from '../../core/files/session-files';
import { pathsOfCall } from '../../core/files/tool-paths';
import type { Item, Json } from '../../core/session/items';
import type { Tokenizer } from '../../core/tokens/tokenizer';

export interface SessionFacts {
  /** All that was said, done and answered, as text, secrets masked. */
  readonly log: string;
  /** Files that were written in the summarised part, as they are shown. */
  readonly written: readonly string[];
  /** Of the last five short messages of the user those that are not carried over. */
  readonly lastPrompts: readonly string[];
  /** Files of which contents were seen, and the tokens of all that was seen. */
  readonly knownFiles: number;
  readonly knownTokens: number;
  /** Whether the summarised part has something to say in this section of the summary. */
  holds(section: string): boolean;
}

const SHORT = 200;

export async function factsOf(
  { opened: { session }, report, context }: CompactRun,
  tokenizer: Tokenizer,
): Promise<SessionFacts> {
  const checkpoints = [...session.records()].flatMap((record) => (record.t === 'checkpoint' ? [record] : []));
  const earlier = checkpoints.slice(0, -1);
  const from = earlier.at(-1)?.cut ?? 0;
  const to = report.plan?.cutItem ?? 0;
  const files = createSessionFiles(session.items(), session.root);
  const touched = touchedPaths(session.items());
  const known = await Promise.all(
    [...new Set(touched.map(({ path }) => files.canonical(path)))].map((path) => files.read(path)),
  );
  const seen = known.flatMap((read) =>
    read.ok && read.text.trim() !== '' ? [read.text.replace(/\n{2,}/g, '\n')] : [],
  );
  const carried = new Set([...context.items()].map(({ id }) => id));
  const prompts = [...session.items(from)].flatMap((item) =>
    isPrompt(item) && tokenizer.countText(typedIn(textOf(item))) <= SHORT ? [item] : [],
  );
  const part = [...session.items(from, to)];
  const said = part
    .flatMap((item) => (item.kind === 'message' && item.role === 'assistant' ? [textOf(item)] : []))
    .join('\n');
  return {
    log: maskSecrets(
      [
        ...earlier.flatMap(({ blocks }) => blocks.map(({ text }) => text)),
        ...[...session.items()].map((item) => stripVTControlCharacters(textOf(item))),
        ...touched.map(({ path }) => files.display(path)),
      ].join('\n'),
    ),
    written: [
      ...new Set(
        touched.flatMap(({ path, isWritten, number }) =>
          isWritten && number >= from && number < to ? [files.display(path)] : [],
        ),
      ),
    ],
    lastPrompts: prompts
      .slice(-5)
      .flatMap((item) => (carried.has(item.id) ? [] : [maskSecrets(typedIn(textOf(item)))])),
    knownFiles: seen.length,
    knownTokens: seen.reduce((sum, text) => sum + tokenizer.countText(text), 0),
    holds: (section) => {
      switch (section) {
        case 'User Directives':
          return part.some(isPrompt);
        case 'Key Decisions':
          return /\b(?:I|we) (?:have )?decided to\b/i.test(said);
        case 'Active Task':
        case 'Current Work':
          return part.length > 0;
        default:
          return part.filter(isPrompt).length > 2;
      }
    },
  };
}

/** Words of a text that look like paths or names of code. */
export function identifiersOf(text: string): readonly string[] {
  const words =
    text.match(/[\w@~.$-]*\w(?:[/\\:]+[\w@.$()[\]-]+)+|\w+\.[a-z]{1,4}\b|\b[a-z]+[A-Z]\w*|\b\w+_\w+/g) ?? [];
  return [...new Set(words)];
}

/** Whether a log has a name, with what a sentence may have put behind it or without. */
export function namesIn(log: string, name: string): boolean {
  return log.includes(name) || log.includes(name.replace(/[.,:;)\]]+$/, ''));
}

function touchedPaths(
  items: Iterable<Item>,
): readonly { readonly path: string; readonly isWritten: boolean; readonly number: number }[] {
  const open = new Map<string, { readonly call: Extract<Item, { kind: 'tool_call' }>; readonly number: number }>();
  const touched: { path: string; isWritten: boolean; number: number }[] = [];
  let number = 0;
  for (const item of items) {
    if (item.kind === 'tool_call') open.set(item.callId, { call: item, number });
    const asked = item.kind === 'tool_result' ? open.get(item.callId) : undefined;
    if (asked !== undefined && item.kind === 'tool_result') {
      open.delete(item.callId);
      const failed = item.isError === true || saysFailed(textOf(item));
      for (const { path, access } of failed ? [] : pathsOfCall(asked.call.name, asked.call.arguments)) {
        touched.push({ path, isWritten: access !== 'read', number: asked.number });
      }
    }
    number++;
  }
  return touched;
}

/** Whether a person wrote it: no output of commands, reminders or settings that agents put under the user's name. */
function isPrompt(item: Item): boolean {
  return (
    item.kind === 'message' &&
    item.role === 'user' &&
    /\S/.test(textOf(item)) &&
    !/^\s*(?:<|\[Request interrupted|Caveat: )/.test(textOf(item))
  );
}

/** What the user typed, behind what an editor put before it. */
function typedIn(prompt: string): string {
  return (/^## My request for \w+:$(?<typed>[^]*)/m.exec(prompt)?.groups?.['typed'] ?? prompt).trim();
}

function textOf(item: Item): string {
  switch (item.kind) {
    case 'message':
      return item.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    case 'tool_call':
      return `${item.name}\n${stringsOf(item.arguments)}`;
    case 'tool_result':
      return [item.summary, ...(item.content ?? []).map((part) => (part.type === 'text' ? part.text : ''))].join('\n');
    case 'reasoning':
      return item.text ?? '';
  }
}

function stringsOf(value: Json): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Array.isArray(value) ? (value as readonly Json[]) : Object.entries(value).flat();
  const texts = (entries as readonly Json[]).map(stringsOf);
  return [...texts, texts.join(' ')].join('\n');
}
