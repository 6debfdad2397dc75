/** What the rules of `[permissions]` say about a call: deny beats ask beats allow; what none names goes by the kind of its tool. */
import type { ToolKind } from '../../core/index';
import type { Pattern } from './patterns';
import type { Subject } from './subjects';

export interface Rules {
  readonly allow: readonly Pattern[];
  readonly ask: readonly Pattern[];
  readonly deny: readonly Pattern[];
}

/** What is to be done about one subject, and the pattern that says so; without one the kind of the tool does. */
export interface Verdict {
  readonly do: 'allow' | 'ask' | 'deny';
  readonly subject: Subject;
  readonly by?: Pattern;
}

/** Kinds of tools that change nothing but what belongs to the session. */
const HARMLESS: readonly ToolKind[] = ['read', 'state'];

/** Judges one subject of a call. */
export function judge({ allow, ask, deny }: Rules, tool: { name: string; kind: ToolKind }, subject: Subject): Verdict {
  const all = [...subject.names, ...subject.aliases];
  const own = (patterns: readonly Pattern[]): readonly Pattern[] => patterns.filter(({ isOf }) => isOf(tool.name));
  const denies = own(deny);
  const asks = own(ask);
  const fitting = (patterns: readonly Pattern[]): Pattern | undefined =>
    patterns.find((pattern) => pattern.isWhole || all.some((name) => fits(pattern, subject, name)));
  const denied = fitting(denies);
  if (denied !== undefined) return { do: 'deny', subject, by: denied };
  const asked = fitting(asks) ?? unsure(subject, [...denies, ...asks]);
  if (asked !== undefined) return { do: 'ask', subject, by: asked };
  const allows = own(allow);
  const whole = allows.find(({ isWhole }) => isWhole);
  const named = subject.names.map((name) => allows.find((pattern) => fits(pattern, subject, name)));
  const allowed = whole ?? (named.every((pattern) => pattern !== undefined) ? named[0] : undefined);
  if (allowed !== undefined) return { do: 'allow', subject, by: allowed };
  return { do: HARMLESS.includes(tool.kind) ? 'allow' : 'ask', subject };
}

function fits(pattern: Pattern, { about }: Subject, name: string): boolean {
  if (pattern.isWhole || about === 'tool' || about === 'script') return false;
  return about === 'path' ? pattern.fitsPath(name) : pattern.isNamed && pattern.fitsCommand(name);
}

/** A rule about commands or files of this tool that the call might be meant by: nobody can tell, so a human has to. */
function unsure({ about }: Subject, patterns: readonly Pattern[]): Pattern | undefined {
  return about === 'script' || about === 'tool' ? patterns.find(({ isNamed }) => isNamed) : undefined;
}
