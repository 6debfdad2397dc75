/** Tools (S3.8): what a model may call, and what comes back. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Json, Part, Role } from '../session/items';
import type { Session } from '../session/session';

/** What a tool does to the world; permissions and carry-over go by it. */
export type ToolKind = 'read' | 'write' | 'exec' | 'state';

/** One or two lines that always stay, and the content that may be pruned. */
export interface ToolResult {
  readonly summary: string;
  readonly content?: string | readonly Part[];
  readonly isError?: boolean;
}

export interface ToolRun {
  readonly session: Session;
  readonly role: Role;
  readonly signal: AbortSignal;
  progress(text: string): void;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, as the model is told. */
  readonly parameters: Json;
  readonly kind: ToolKind;
  /** Roles that may call it; `main` by default. */
  readonly roles: readonly Role[];
  /** Validated arguments, or a message that says what is wrong with them. */
  parse(args: Json): Promise<{ readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string }>;
  /** The files a call touches. */
  paths(args: unknown): readonly string[];
  run(args: never, run: ToolRun): Promise<ToolResult | string> | ToolResult | string;
}

/** What an author gives. `input` is any Standard Schema (with JSON Schema beside it where it cannot tell) or JSON Schema. */
export interface ToolDefinition<S> {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly kind: ToolKind;
  readonly parameters?: Json;
  readonly roles?: readonly Role[];
  paths?(args: S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : Json): readonly string[];
  run(
    args: S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : Json,
    run: ToolRun,
  ): Promise<ToolResult | string> | ToolResult | string;
}
