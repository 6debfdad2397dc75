/** What things of a report are called on the page. */
import type { ContextKind } from '../../agent/inspect';
import type { ContextPart, Fate, MapItem } from '../report';

export const KIND_NAMES: Readonly<Record<ContextKind, string>> = {
  system: 'System prompt and tools',
  checkpoint: 'Checkpoint',
  user: 'User',
  assistant: 'Assistant',
  reasoning: 'Reasoning',
  tool_call: 'Tool calls',
  tool_result: 'Tool results',
};

export const ITEM_NAMES: Readonly<Record<MapItem['kind'], string>> = {
  user: 'message of the user',
  assistant: 'message of the assistant',
  reasoning: 'reasoning',
  tool_call: 'tool call',
  tool_result: 'tool result',
};

export const FATE_NAMES: Readonly<Record<Fate, string>> = {
  kept: 'kept',
  changed: 'sent shorter',
  summarised: 'summarised',
  dropped: 'dropped',
};

export const PART_NAMES: Readonly<Record<ContextPart['kind'], string>> = {
  system: 'System prompt and tools',
  summary: 'Summary',
  file: 'File',
  references: 'References',
  state: 'State',
  conversation: 'Conversation',
};
