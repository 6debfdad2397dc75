/** What a human has allowed for the rest of a session, kept in its log, so that it follows restore and undo (S3.8). */
import { configKeys, type Session, type SessionState } from '../../core/index';
import { isAbsolute } from './path-pattern';
import type { Verdict } from './rules';

const schema = configKeys({
  calls: { type: 'strings', default: [], doc: 'Calls that are allowed as they are.' },
  tools: { type: 'strings', default: [], doc: 'Tools that are allowed for all files inside of the root.' },
});

/** An approval that an answer for the session would give. */
interface Approved {
  readonly list: 'calls' | 'tools';
  readonly entry: string;
  /** How it is shown. */
  readonly text: string;
}

/** Whether a human has allowed this before. */
export function isApproved(session: Session, tool: string, verdict: Verdict): boolean {
  const { calls = [], tools = [] } = stateOf(session).get() ?? {};
  const { list, entry } = approvalOf(tool, verdict);
  return (list === 'tools' && tools.includes(entry)) || calls.includes(callText(tool, verdict));
}

/** What the answer `session` would allow, as it is shown. */
export function approvalText(tool: string, verdict: Verdict): string {
  return approvalOf(tool, verdict).text;
}

/** Allows the subjects of these verdicts for the rest of the session. */
export function approve(session: Session, tool: string, verdicts: readonly Verdict[]): void {
  const state = stateOf(session);
  const { calls = [], tools = [] } = state.get() ?? {};
  const given = verdicts.map((verdict) => approvalOf(tool, verdict));
  const of = (list: Approved['list']): readonly string[] =>
    given.filter((one) => one.list === list).map(({ entry }) => entry);
  state.set({ calls: [...new Set([...calls, ...of('calls')])], tools: [...new Set([...tools, ...of('tools')])] });
}

/** `run_command(npm test)`; a `*` in it is the character itself. */
export function callText(tool: string, { subject }: Verdict): string {
  const [name] = subject.names;
  return name === undefined ? tool : `${tool}(${name.replaceAll('*', String.raw`\*`)})`;
}

/**
 * Files inside of the root are allowed together, unless a rule asks about them; everything else as it is: this command, this
 * file, this tool.
 */
function approvalOf(tool: string, verdict: Verdict): Approved {
  const { subject, by } = verdict;
  if (subject.about === 'path' && by === undefined && !subject.names.some(isAbsolute))
    return { list: 'tools', entry: tool, text: `${tool}(**)` };
  const text = callText(tool, verdict);
  return { list: 'calls', entry: text, text };
}

function stateOf(
  session: Session,
): SessionState<{ readonly calls: readonly string[]; readonly tools: readonly string[] }> {
  return session.state('permissions', schema);
}
