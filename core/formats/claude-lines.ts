/** What a line of a Claude Code session is: something the model saw, a prompt, or text injected as the user. */
import { partsOf } from './parts';
import { fieldsOf, isFields, listOf, stringOf } from './shape';
import type { Fields } from './shape';

/** Whether a line is part of the conversation; all others are bookkeeping. */
export function isConversation(line: Fields): boolean {
  return ((line.type === 'user' || line.type === 'assistant') && isFields(line.message)) || isQueuedPrompt(line);
}

/** Whether a line is what the user typed while the agent was at work; the model saw it in the middle of the turn. */
export function isQueuedPrompt(line: Fields): boolean {
  return line.type === 'attachment' && fieldsOf(line.attachment).type === 'queued_command';
}

/** Whether the model's view restarts with this line, which holds the summary. Old versions have no mark but the words. */
export function isCompactSummary(line: Fields): boolean {
  if (line.type !== 'user') return false;
  return line.isCompactSummary === true || (line.parentUuid === null && opening(line).startsWith(CONTINUED));
}

const CONTINUED = 'This session is being continued from a previous conversation that ran out of context';

/** Whether a line holds results of tools. */
export function isResultLine(line: Fields): boolean {
  return listOf(fieldsOf(line.message).content).some((block) => fieldsOf(block).type === 'tool_result');
}

/** Whether the user typed this line as a prompt: no result, no injected text, no output of a local command. */
export function isPrompt(line: Fields): boolean {
  if (line.type !== 'user' || line.isMeta === true || isCompactSummary(line) || isResultLine(line)) return false;
  const said = opening(line);
  return said !== '' && !NOT_TYPED.some((start) => said.startsWith(start));
}

/** Whether a line is a slash command; those that the agent answers itself are followed by their output. */
export function isCommand(line: Fields): boolean {
  const said = opening(line);
  return said.startsWith('<command-name>') || said.startsWith('<command-message>');
}

/** Whether a line is the output of a command that ran without the model. */
export function isCommandOutput(line: Fields | undefined): boolean {
  return line !== undefined && opening(line).startsWith('<local-command-');
}

const NOT_TYPED = [
  '<local-command-',
  '<bash-',
  '[Request interrupted by user',
  'Caveat: The messages below were generated',
];

/** The start of the first text that is not context which an editor or the agent put before it. */
function opening(line: Fields): string {
  const content = fieldsOf(line.message).content;
  if (typeof content === 'string') return content.slice(0, 200).trimStart();
  for (const block of listOf(content)) {
    const text = stringOf(fieldsOf(block).text)?.slice(0, 200).trimStart();
    if (text !== undefined && !text.startsWith('<ide_') && !text.startsWith('<system-reminder>')) return text;
    if (text === undefined && partsOf([block])[0]?.type === 'image') return '[image]';
  }
  return '';
}
