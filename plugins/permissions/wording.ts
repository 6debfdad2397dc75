/** What the model is told when a call does not run, and how calls are shown to a human. */
import { callText } from './approvals';
import type { Verdict } from './rules';

/** Characters of a call in an error. */
const SHOWN = 300;

/** A rule denies the call. */
export function denied(tool: string, verdict: Verdict): string {
  const rule = visible(verdict.by?.text ?? tool);
  return `Error: ${shown(tool, verdict)} is denied by "${rule}" of [permissions]. Do not try to reach the same in another way.`;
}

/** A human was asked and refused. */
export function refused(tool: string, verdict: Verdict): string {
  return `Error: the user refused ${shown(tool, verdict)}. Do not try to reach the same in another way; go on without it, or ask what to do.`;
}

/** Nobody can be asked. Says which line of the manifest would allow the call. */
export function notApproved(tool: string, verdict: Verdict): string {
  const { subject, by } = verdict;
  const call = `Error: ${shown(tool, verdict)} needs approval, and nobody can be asked here.`;
  if (by !== undefined) {
    const isSure = by.isWhole || subject.about === 'path' || subject.about === 'command';
    const why = isSure ? 'it is to be asked about by' : 'it cannot be told whether it is meant by';
    return `${call} In [permissions] of the manifest ${why} "${visible(by.text)}".`;
  }
  const line = `allow = [${JSON.stringify(subject.about === 'script' ? tool : visible(callText(tool, verdict)))}]`;
  const note = subject.about === 'script' ? ', with every other command; plain commands can be allowed one by one' : '';
  return `${call} This line in [permissions] of the manifest would allow it${note}: ${line}`;
}

/** A text on one line in which nothing is hidden: control and format characters are written as escapes. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
      character === '\n' ? '\\n' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    );
}

function shown(tool: string, verdict: Verdict): string {
  const text = visible(callText(tool, verdict));
  return text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
}
