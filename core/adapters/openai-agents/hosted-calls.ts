/** Calls that the provider runs itself: one item of the host holds the call and what came of it. */
import { argumentsOf, fieldsOf, stringOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import type { NewItem } from '../../session/items';

/** The types of such items. */
export const HOSTED: ReadonlySet<string> = new Set(['hosted_tool_call']);

/** The call and a result that says no more than that it was run: the provider is not sent its output again. */
export function hostedItems(fields: Fields): readonly NewItem[] {
  const { id, type: _, status, ...args } = fieldsOf(fields.providerData);
  const name = stringOf(fields.name) ?? 'hosted_tool';
  const callId = stringOf(fields.id) ?? stringOf(id) ?? name;
  const isError = (fields.status ?? status) === 'failed';
  return [
    { kind: 'tool_call', callId, name, arguments: argumentsOf(args) },
    { kind: 'tool_result', callId, summary: `${name}, run by the provider`, ...(isError && { isError }) },
  ];
}
