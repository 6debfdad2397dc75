/** A network of virtual time: it loses, doubles, delays and reorders what is sent, as its fates say, and its server restarts. */

/** What becomes of one message: it arrives so many times (0: lost), each after its own delay. */
export type Fate = readonly number[];

/** When all fates are used up the network is calm. */
const CALM: Fate = [1];

/** A process on the network; it hears and says nothing while it is not connected, and a frozen one does so later. */
export class Station {
  isConnected = true;
  isKilled = false;
  frozenUntil = 0;
  /** Told when the connection is back. */
  onReconnect: () => void = () => undefined;

  constructor(readonly name: string) {}

  get isThere(): boolean {
    return this.isConnected && !this.isKilled;
  }
}

interface Happening {
  readonly at: number;
  readonly order: number;
  happen(): void;
}

export class SimulatedNetwork {
  readonly stations: Station[] = [];
  readonly #agenda: Happening[] = [];
  #now = 0;
  #order = 0;
  #fate = 0;
  /** Rises at each restart of the server; what is in flight belongs to one and dies with it. */
  #epoch = 0;

  constructor(readonly fates: readonly Fate[]) {}

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.#now;
  }

  join(name: string): Station {
    const station = new Station(name);
    this.stations.push(station);
    return station;
  }

  after(delayMs: number, happen: () => void): void {
    this.#agenda.push({ at: this.#now + delayMs, order: this.#order++, happen });
    this.#agenda.sort((a, b) => a.at - b.at || a.order - b.order);
  }

  /** Something that a process does by itself: not once it is killed, and later where it is frozen. */
  within(station: Station, delayMs: number, happen: () => void): void {
    this.after(delayMs, () => {
      if (station.isKilled) return;
      if (this.#now < station.frozenUntil) this.within(station, station.frozenUntil - this.#now, happen);
      else happen();
    });
  }

  /** Sends a message. Where the receiver is not there when it arrives, the server tells the sender, if that wants to know. */
  send(from: Station, to: Station | undefined, arrive: () => void, nobody: () => void = () => undefined): void {
    if (!from.isThere) return;
    const epoch = this.#epoch;
    for (const delayMs of this.nextFate()) {
      this.after(delayMs, () => {
        if (epoch !== this.#epoch) return;
        if (to?.isThere === true) this.within(to, 0, arrive);
        else if (from.isThere) this.within(from, delayMs, () => from.isThere && nobody());
      });
    }
  }

  nextFate(): Fate {
    return this.fates[this.#fate++] ?? CALM;
  }

  kill(station: Station): void {
    station.isKilled = true;
  }

  /** It does nothing for a while; what arrives meanwhile waits for it. */
  freeze(station: Station, forMs: number): void {
    station.frozenUntil = Math.max(station.frozenUntil, this.#now + forMs);
  }

  /** Cuts one connection for a while. */
  cut(station: Station, forMs: number): void {
    station.isConnected = false;
    this.within(station, forMs, () => {
      if (station.isConnected) return;
      station.isConnected = true;
      station.onReconnect();
    });
  }

  /** Drops all that is in flight; each station comes back in its own time. */
  restart(awayMs: (station: Station) => number): void {
    this.#epoch++;
    for (const station of this.stations) this.cut(station, awayMs(station));
  }

  /** Lets everything happen that is due until then. */
  run(untilMs: number): void {
    for (let next = this.#agenda[0]; next !== undefined && next.at <= untilMs; next = this.#agenda[0]) {
      this.#agenda.shift();
      this.#now = next.at;
      next.happen();
    }
    this.#now = untilMs;
  }
}
