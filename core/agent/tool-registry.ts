/** How plugins contribute tools (S3.2, S3.8): `ctx.tools`. */
import type { ContributionKind } from '../kernel/contributions';
import type { Kernel } from '../kernel/kernel';
import { toolsOfSet } from './ai-sdk-tools';
import type { AiSdkToolSet } from './ai-sdk-tools';
import type { Tool } from './tools';

/** What is taken where tools are: tools, or a tool set of the AI SDK as it is (hence MCP). */
export type ToolSource = Tool | readonly Tool[] | AiSdkToolSet;

/** The tools of a source. Throws `PITH_TOOL_INVALID`. */
export function toolsFrom(source: ToolSource): readonly Tool[] {
  if (Array.isArray(source)) return source as readonly Tool[];
  return isTool(source) ? [source] : toolsOfSet(source as AiSdkToolSet);
}

function isTool(value: ToolSource): value is Tool {
  const { name, parse, run } = value as Partial<Tool>;
  return typeof name === 'string' && typeof parse === 'function' && typeof run === 'function';
}

/** Where plugins add tools (`ctx.tools`). */
export interface Tools {
  /** Adds tools; a name that is taken already is a fault of the start. Throws `PITH_SETUP_OVER` after `setup`. */
  add(source: ToolSource): void;
}

/** The tools that plugins contribute. */
export const TOOLS: ContributionKind<Tool> = Object.freeze<ContributionKind<Tool>>({
  name: 'tools',
  open: (add) =>
    Object.freeze<Tools>({
      add: (source) => {
        for (const tool of toolsFrom(source)) add(tool.name, tool);
      },
    }),
});

/** The tools that the plugins of a kernel contributed, in the order of the start; hand them to `drive`. */
export function toolsOf(kernel: Pick<Kernel, 'contributions'>): readonly Tool[] {
  return kernel.contributions(TOOLS).map(({ value }) => value);
}

declare module '../kernel/plugin' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- the parameters of the interface it adds to
  interface PluginContext<C, N extends Needs, P extends readonly AnyToken[]> {
    readonly tools: Tools;
  }
}
