/** What tools give back, brought into one form (S3.8, S5.1). */
import type { Part } from '../session/items';
import { isPartList } from '../session/record-shape';
import { summariseResult } from '../session/result-summary';
import type { ToolOutput, ToolResult } from './tools';

/** Characters of a text that is its own summary, if it is one line. */
const MAX_SUMMARY = 200;

/**
 * The result of a tool with a summary that stays: the tool's own, else the text itself where it is one short line, else
 * name, size and first line. What is no tool output at all is taken as JSON.
 */
export function normaliseResult(tool: string, output: ToolOutput | undefined): ToolResult {
  if (!isResult(output)) return textResult(tool, asText(output), false);
  const { summary = '', content, isError = false } = output;
  const hasSummary = summary.trim() !== '';
  if (typeof content === 'string' && !hasSummary) return textResult(tool, content, isError);
  return {
    summary: hasSummary ? summary : summariseResult(tool, partsOf(content), isError),
    ...(content !== undefined && { content }),
    ...(isError && { isError }),
  };
}

/** The result of a call that was denied, invalid or failed. */
export function errorResult(tool: string, text: string): ToolResult {
  return textResult(tool, text, true);
}

/** The result with a text appended, as the model will see it. */
export function withAppended(result: ToolResult, text: string): ToolResult {
  const { content = result.summary } = result;
  return {
    ...result,
    content: typeof content === 'string' ? `${content}\n${text}` : [...content, { type: 'text', text }],
  };
}

/** The content of a result as parts. */
function partsOf(content: ToolResult['content']): readonly Part[] {
  if (content === undefined) return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function textResult(tool: string, text: string, isError: boolean): ToolResult {
  if (text.trim() === '') return { summary: summariseResult(tool, [], isError), ...(isError && { isError }) };
  const isShort = text.length <= MAX_SUMMARY && !text.includes('\n');
  const summary = isShort ? text : summariseResult(tool, partsOf(text), isError);
  return { summary, ...(!isShort && { content: text }), ...(isError && { isError }) };
}

function isResult(output: unknown): output is Exclude<ToolOutput, string> {
  if (typeof output !== 'object' || output === null) return false;
  const { summary, content } = output as { readonly summary?: unknown; readonly content?: unknown };
  const hasSummary = summary === undefined || typeof summary === 'string';
  const hasContent = content === undefined || typeof content === 'string' || isPartList(content);
  return hasSummary && hasContent && (summary !== undefined || content !== undefined);
}

function asText(output: unknown): string {
  if (typeof output === 'string') return output;
  return output === undefined ? '' : JSON.stringify(output);
}
