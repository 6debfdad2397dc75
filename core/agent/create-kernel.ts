/** The kernel with what the core brings along: the hooks of the loop, tools, and default services (S3.3). */
import { checkKernel, startKernel } from '../kernel/kernel';
import type { Kernel, KernelOptions } from '../kernel/kernel';
import { coreDefaults } from './core-defaults';
import { LOOP_HOOKS } from './loop-hooks';
import { TOOLS } from './tool-registry';

/**
 * Starts plugins on top of the core. `defaults` and `hooks` come beside those of the core; a default for a token that the
 * core serves takes its place. Throws `PITH_PLUGIN_GRAPH` with all faults at once, or `PITH_PLUGIN_SETUP`.
 */
export function createKernel(options: Omit<KernelOptions, 'kinds'>): Promise<Kernel> {
  return startKernel(withCore(options));
}

/** Finds all that would keep these plugins from starting together, without running any. Throws `PITH_PLUGIN_GRAPH`. */
export async function checkPlugins(options: Omit<KernelOptions, 'kinds'>): Promise<void> {
  await checkKernel(withCore(options));
}

function withCore(options: Omit<KernelOptions, 'kinds'>): KernelOptions {
  const { defaults = [], hooks = [] } = options;
  const own = new Set(defaults.map(({ token }) => token.name));
  return {
    ...options,
    defaults: [...coreDefaults.filter(({ token }) => !own.has(token.name)), ...defaults],
    hooks: [...LOOP_HOOKS, ...hooks],
    kinds: [TOOLS],
  };
}
