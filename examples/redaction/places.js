// Where secrets may stand. What holds none is handed back as it is, the very object.
const { isWorkspace } = require('pith');

/** @import { FileSource, Json, LogSink, NewItem, Part, ToolResult } from 'pith' */
/** @import { Mask } from './mask' */

/**
 * Any value of JSON, keys included.
 *
 * @template {Json} T
 * @param {T} value
 * @param {Mask} mask
 * @returns {T}
 */
function maskedValue(value, mask) {
  return /** @type {T} */ (maskedAny(value, mask));
}

/**
 * @param {unknown} value
 * @param {Mask} mask
 * @returns {unknown}
 */
function maskedAny(value, mask) {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const to = value.map((inner) => maskedAny(inner, mask));
    return to.some((inner, at) => inner !== value[at]) ? to : value;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value);
  const to = entries.map(([key, inner]) => [mask(key), maskedAny(inner, mask)]);
  const isSame = to.every(([key, inner], at) => key === entries[at]?.[0] && inner === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(to);
}

/**
 * @param {readonly Part[]} parts
 * @param {Mask} mask
 * @returns {readonly Part[]}
 */
function maskedParts(parts, mask) {
  const to = parts.map((part) => {
    if (part.type !== 'text') return part;
    const text = mask(part.text);
    return text === part.text ? part : { ...part, text };
  });
  return to.some((part, at) => part !== parts[at]) ? to : parts;
}

/**
 * @param {NewItem} item
 * @param {Mask} mask
 * @returns {NewItem}
 */
function maskedItem(item, mask) {
  if (item.kind !== 'message') return item;
  const parts = maskedParts(item.parts, mask);
  return parts === item.parts ? item : { ...item, parts };
}

/**
 * @param {ToolResult} result
 * @param {Mask} mask
 * @returns {ToolResult}
 */
function maskedResult(result, mask) {
  const summary = mask(result.summary);
  const { content } = result;
  const to =
    content === undefined || typeof content === 'string' ? content && mask(content) : maskedParts(content, mask);
  if (summary === result.summary && to === content) return result;
  return { ...result, summary, ...(to !== undefined && { content: to }) };
}

/**
 * Texts that are read to be shown are masked; the bytes that tools edit are those of the disk.
 *
 * @param {FileSource} files
 * @param {Mask} mask
 * @returns {FileSource}
 */
function maskedFiles(files, mask) {
  /** @type {FileSource} */
  const shown = {
    canonical: (path) => files.canonical(path),
    display: (path) => files.display(path),
    async read(path) {
      const found = await files.read(path);
      return found.ok ? { ...found, text: mask(found.text) } : found;
    },
  };
  if (!isWorkspace(files)) return shown;
  const { readBytes, write, list } = files;
  return Object.assign(shown, {
    readBytes: readBytes.bind(files),
    write: write.bind(files),
    list: list.bind(files),
  });
}

/**
 * @param {LogSink} sink
 * @param {Mask} mask
 * @returns {LogSink}
 */
function maskedLog(sink, mask) {
  return {
    level: sink.level,
    write: ({ level, message, fields }) =>
      sink.write({ level, message: mask(message), fields: /** @type {typeof fields} */ (maskedAny(fields, mask)) }),
  };
}

module.exports = { maskedFiles, maskedItem, maskedLog, maskedResult, maskedValue };
