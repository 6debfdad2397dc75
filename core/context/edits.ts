/** Edits (S3.5): the only way to change what a request sends, kept in one table by item. */
import type { Item, ItemId, NewItem } from '../session/items';
import type { Edit } from '../session/records';
import { hasContent, wellFormed } from '../session/well-formed';
import type { Changes, ItemChange } from './groups';

/** The anchor of inserts behind everything. */
export const END = 'end';

/** Edits in force. A table on a parent adds to it and leaves it as it is. */
export class ChangeTable implements Changes {
  readonly #parent: ChangeTable | undefined;
  readonly #items = new Map<ItemId, ItemChange>();
  readonly #inserts = new Map<ItemId, readonly Item[]>();
  #inserted = 0;

  constructor(parent?: ChangeTable) {
    this.#parent = parent;
    if (parent !== undefined) this.#inserted = parent.#inserted;
  }

  changeOf(id: ItemId): ItemChange | undefined {
    return this.#items.get(id) ?? this.#parent?.changeOf(id);
  }

  insertedBefore(id: ItemId): readonly Item[] {
    return [...(this.#parent?.insertedBefore(id) ?? []), ...(this.#inserts.get(id) ?? [])];
  }

  /** Takes an edit in and returns the ids of the items it touches. An insert that cannot be changes nothing. */
  add(edit: Edit): readonly ItemId[] {
    switch (edit.edit) {
      case 'drop':
        for (const id of edit.items) this.#items.set(id, 'drop');
        return edit.items;
      case 'content':
        if (this.changeOf(edit.item) !== 'drop') this.#items.set(edit.item, { text: edit.text });
        return [edit.item];
      case 'insert': {
        const item = insertedItem(edit.item, `${edit.before}+${this.#inserted++}`);
        if (faultOfInsert(item) === undefined) {
          this.#inserts.set(edit.before, [...(this.#inserts.get(edit.before) ?? []), item]);
        }
        return [edit.before];
      }
    }
  }
}

/** Why an item cannot be inserted, or undefined: only messages of user or assistant that say something can. */
export function faultOfInsert(item: NewItem): string | undefined {
  if (item.kind !== 'message') return `it inserts a ${item.kind}; only messages of user or assistant can be inserted`;
  if (item.role === 'system') return 'it inserts a system message; only messages of user or assistant can be inserted';
  return hasContent(item) ? undefined : 'it inserts an empty message';
}

/** An inserted item with an id of its own, as it is sent. */
function insertedItem(item: NewItem, id: ItemId): Item {
  return Object.freeze(wellFormed({ ...item, id }));
}
