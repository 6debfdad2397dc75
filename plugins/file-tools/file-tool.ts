/** What the tools that work on one file have in common. */
import {
  defineTool,
  type FileSource,
  type Json,
  type Tool,
  type ToolKind,
  type ToolOutput,
  type ToolRun,
} from '../../core/index';
import { argumentsOf, PATH } from './arguments';
import type { InTurn } from './turns';

interface FileToolDefinition<A> {
  readonly name: string;
  readonly description: string;
  readonly kind: ToolKind;
  /** Schemas of the arguments beside `path`. */
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
  run(args: A, run: ToolRun): Promise<ToolOutput>;
}

/** A tool that works on the file `path` of a source, one call after another, and that the tracker hears of. */
export function fileTool<A extends { readonly path: string }>(
  files: Pick<FileSource, 'canonical'>,
  inTurn: InTurn,
  { name, description, kind, properties, required, run }: FileToolDefinition<A>,
): Tool {
  return defineTool({
    name,
    description,
    kind,
    input: argumentsOf({ path: PATH, ...properties }, ['path', ...required]),
    paths: (args) => [(args as unknown as A).path],
    run: (args, call) => {
      const given = args as unknown as A;
      return inTurn(files.canonical(given.path), () => run(given, call));
    },
  });
}
