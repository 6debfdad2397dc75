/** The plugin `todo`: a list of tasks that the agent keeps, and that survives compactions while anything in it is open (S3.8). */
import { definePlugin, defineTool, TOKENIZER, type Session, type ToolResult } from '../../core/index';
import { MOST_CHARACTERS, MOST_ENTRIES, problemOf, render, STATUSES, summarise, tidy, TODO_STATE } from './list';
import { TODO_LIST, type TodoEntry } from './token';

export { TODO_LIST } from './token';
export type { TodoEntry, TodoList } from './token';

/** Tokens of a list at most: what is carried over a compaction may have 1000 with its header. */
const MOST_TOKENS = 900;

export default definePlugin({
  name: 'todo',
  api: 1,
  needs: { tokenizer: TOKENIZER },
  provides: [TODO_LIST],
  setup({ needs: { tokenizer }, tools, provide }) {
    provide(TODO_LIST, (session) => {
      const state = (session as Session).state('todo', TODO_STATE);
      return { entries: () => state.get() ?? [], write: (entries) => state.set(entries) };
    });
    tools.add(
      defineTool({
        name: 'todo_write',
        description:
          'Keeps the list of tasks of longer work: give the whole list each time, one entry in_progress at most. Mark an entry completed as soon as it is done. The list is kept when older history is summarised.',
        kind: 'state',
        input: {
          type: 'object',
          properties: {
            todos: {
              type: 'array',
              maxItems: MOST_ENTRIES,
              items: {
                type: 'object',
                properties: {
                  content: { type: 'string', minLength: 1, maxLength: MOST_CHARACTERS },
                  status: { type: 'string', enum: STATUSES },
                },
                required: ['content', 'status'],
                additionalProperties: false,
              },
            },
          },
          required: ['todos'],
          additionalProperties: false,
        },
        paths: () => [],
        run: (args, { session }): ToolResult => {
          const entries = tidy((args as unknown as { readonly todos: readonly TodoEntry[] }).todos);
          const shown = render(entries);
          const tokens = tokenizer.countText(shown);
          const problem =
            problemOf(entries) ??
            (tokens > MOST_TOKENS
              ? `the list has ${String(tokens)} tokens, ${String(MOST_TOKENS)} is the most; shorten it.`
              : undefined);
          if (problem !== undefined) return { summary: `Error: The list is unchanged: ${problem}`, isError: true };
          session.get(TODO_LIST).write(entries);
          return { summary: summarise(entries), ...(shown !== '' && { content: shown }) };
        },
      }),
    );
  },
});
