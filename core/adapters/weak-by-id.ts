/** Things that are found by an id for as long as somebody holds them. */

/** A function that gives the thing of an id: the one that is there, else one that `make` makes. */
export function weakById<T extends object>(make: (id: string) => T): (id: string) => T {
  const held = new Map<string, WeakRef<T>>();
  const gone = new FinalizationRegistry<string>((id) => {
    if (held.get(id)?.deref() === undefined) held.delete(id);
  });
  return (id) => {
    const known = held.get(id)?.deref();
    if (known !== undefined) return known;
    const made = make(id);
    held.set(id, new WeakRef(made));
    gone.register(made, id);
    return made;
  };
}
