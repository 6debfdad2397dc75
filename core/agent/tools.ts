/** Tools (S3.8): what a model may call, and what comes back. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { describeIssue } from '../bus/message';
import { messageOf, PithError } from '../errors';
import { pathsOfCall } from '../files/tool-paths';
import type { Json, Part, Role } from '../session/items';
import type { Session } from '../session/session';
import { schemaProblems } from './json-schema';

/** What a tool does to the world; permissions and carry-over go by it. */
export type ToolKind = 'read' | 'write' | 'exec' | 'state';

/** One or two lines that always stay, and the content that may be pruned. */
export interface ToolResult {
  readonly summary: string;
  readonly content?: string | readonly Part[];
  readonly isError?: boolean;
}

/** What a tool may give back: a result, with or without summary, or just text. */
export type ToolOutput = string | (Omit<ToolResult, 'summary'> & { readonly summary?: string });

/** What a tool learns of the call that it runs. */
export interface ToolRun {
  readonly session: Session;
  readonly role: Role;
  readonly callId: string;
  /** Aborts when the run is cancelled; what the tool returns later is ignored. */
  readonly signal: AbortSignal;
  /** Published as `tool.progress`. */
  progress(text: string): void;
}

/** Validated arguments, or a message that says what is wrong with them. */
export type ParsedArguments =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** A tool as the loop runs it, made by {@link defineTool}. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, as the model is told. */
  readonly parameters: Json;
  readonly kind: ToolKind;
  /** Roles that may call it; `main` by default. */
  readonly roles: readonly Role[];
  parse(args: Json): Promise<ParsedArguments>;
  /** The files a call touches. */
  paths(args: unknown): readonly string[];
  run(args: never, run: ToolRun): Promise<ToolOutput> | ToolOutput;
}

/** The arguments that an input schema lets through. */
type ToolArguments<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : Json;

/** What an author gives. `input` is any Standard Schema (with JSON Schema beside it where it cannot tell) or JSON Schema. */
export interface ToolDefinition<S> {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly kind: ToolKind;
  /** JSON Schema of the arguments, where `input` cannot tell its own. */
  readonly parameters?: Json;
  readonly roles?: readonly Role[];
  /** The files a call touches; without it the path arguments of the common agents' tools are known by the tool's name. */
  paths?(args: ToolArguments<S>): readonly string[];
  run(args: ToolArguments<S>, run: ToolRun): Promise<ToolOutput> | ToolOutput;
}

/**
 * Defines a tool (S3.8).
 *
 * @throws `PITH_TOOL_INVALID` where the definition has no name or its schema cannot tell its JSON Schema
 */
export function defineTool<const S>(definition: ToolDefinition<S>): Tool {
  const { name, description, kind, roles = ['main'], run } = definition;
  if (typeof name !== 'string' || !/^[\w.:/-]{1,128}$/.test(name)) {
    throw toolInvalid(String(name), 'its name must be 1 to 128 letters, digits or _ - . : /');
  }
  if (typeof run !== 'function') throw toolInvalid(name, 'it has no run function');
  return Object.freeze<Tool>({
    name,
    description,
    kind,
    roles,
    parameters: definition.parameters ?? jsonSchemaOf(name, definition.input),
    parse: parserOf(definition.input),
    paths: (args) =>
      definition.paths?.(args as ToolArguments<S>) ?? pathsOfCall(name, args as Json).map(({ path }) => path),
    run: (args, context) => definition.run(args, context),
  });
}

/**
 * The JSON Schema that a schema tells of itself, by the Standard JSON Schema interface or its own `toJSONSchema`. Throws
 * `PITH_TOOL_INVALID` where it tells none.
 */
export function jsonSchemaOf(tool: string, input: unknown): Json {
  if (!isStandardSchema(input)) {
    if (typeof input === 'object' && input !== null) return input as Json;
    throw toolInvalid(tool, 'its input is neither a Standard Schema nor JSON Schema');
  }
  const { jsonSchema } = input['~standard'] as Partial<StandardJSONSchemaV1.Props>;
  const { toJSONSchema } = input as { toJSONSchema?(): unknown };
  let told: unknown;
  try {
    told = jsonSchema?.input({ target: 'draft-2020-12' }) ?? toJSONSchema?.call(input);
  } catch (cause) {
    throw toolInvalid(tool, `its schema cannot be written as JSON Schema (${messageOf(cause)})`, cause);
  }
  if (told === undefined) throw toolInvalid(tool, 'its schema cannot tell its JSON Schema; give it as parameters');
  const { $schema: _, ...parameters } = told as { readonly [key: string]: Json };
  return parameters;
}

function parserOf(input: unknown): Tool['parse'] {
  if (!isStandardSchema(input)) {
    return (args) => {
      const problems = schemaProblems(input as Json, args);
      return Promise.resolve(
        problems.length === 0 ? { ok: true, value: args } : { ok: false, message: problems.join('; ') },
      );
    };
  }
  return async (args) => {
    const result = await input['~standard'].validate(args);
    if (result.issues === undefined) return { ok: true, value: result.value };
    return { ok: false, message: result.issues.map(describeIssue).join('; ') };
  };
}

/** Whether a value is a Standard Schema, of whatever library. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}

/** The error of a tool that cannot be taken. */
export function toolInvalid(tool: string, problem: string, cause?: unknown): PithError {
  return new PithError('PITH_TOOL_INVALID', `Tool "${tool}" cannot be taken: ${problem}.`, {
    ...(cause !== undefined && { cause }),
    details: { tool },
  });
}
