// The time that is shown: played, scrubbed, or set by a click into a plot.

const player = {
  time: 0,
  first: 0,
  last: 0,
  speed: 1,
  loop: true,
  playing: false,
  listeners: [],

  /** Calls `listener` whenever the time or the state changes. */
  onChange(listener) {
    this.listeners.push(listener);
    listener();
  },

  seek(t) {
    this.time = Math.min(this.last, Math.max(this.first, t));
    this.changed();
  },

  toggle() {
    if (this.last <= this.first) return;
    this.playing = !this.playing;
    if (this.playing && this.time >= this.last) this.time = this.first;
    this.changed();
  },

  /** Plays a part of the time only: a mode among others. */
  setRange(first, last) {
    Object.assign(this, { first, last, time: first });
    this.ranged();
    this.changed();
  },

  /** Set by the buttons, which show the range. */
  ranged() {},

  /** Moves on by `seconds` of the reader's time. */
  advance(seconds) {
    if (!this.playing) return;
    const next = this.time + seconds * this.speed;
    if (next < this.last) this.time = next;
    else if (this.loop) this.time = this.first;
    else {
      this.time = this.last;
      this.playing = false;
    }
    this.changed();
  },

  changed() {
    for (const listener of this.listeners) listener();
  },
};

const SPEEDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 100, 300, 1000];

/** The speed nearest to real time at which the motion takes between 4 and 60 seconds. */
function comfortableSpeed(duration) {
  const fits = SPEEDS.filter((s) => duration / s >= 4 && duration / s <= 60);
  const distance = (s) => Math.abs(Math.log(s));
  return (fits.length ? fits : [1]).reduce((best, s) => (distance(s) < distance(best) ? s : best));
}

/** Connects the buttons below the view. */
function setUpPlayer(times) {
  player.first = times.length ? times[0] : 0;
  player.last = times.length ? times[times.length - 1] : 0;
  player.time = player.first;
  player.speed = comfortableSpeed(player.last - player.first);

  const [play, scrub, clock, speed, loop] = ["play", "scrub", "clock", "speed", "loop"].map(byId);
  const still = player.last <= player.first;
  play.disabled = scrub.disabled = still;
  for (const s of SPEEDS) {
    if ((s < 0.1 && player.speed >= 0.1) || (s > 10 && player.speed <= 10)) continue;
    speed.append(element("option", "", `${s}×`, { value: s }));
  }
  speed.value = player.speed;
  play.addEventListener("click", () => player.toggle());
  scrub.addEventListener("input", () => {
    player.playing = false;
    player.seek(Number(scrub.value));
  });
  speed.addEventListener("change", () => (player.speed = Number(speed.value)));
  loop.addEventListener("click", () => {
    player.loop = !player.loop;
    loop.setAttribute("aria-pressed", player.loop);
  });

  // A part that was chosen from a list counts its own time.
  const beginning = () => (report.chapters ? player.first : 0);
  let decimals = 2;
  const shown = element("b");
  player.ranged = () => {
    const decades = still ? 1 : Math.floor(Math.log10(player.last - player.first) + 0.3);
    decimals = Math.max(0, Math.min(6, 3 - decades));
    scrub.min = player.first;
    scrub.max = still ? player.first + 1 : player.last;
    clock.replaceChildren(shown, ` / ${(player.last - beginning()).toFixed(Math.max(0, decimals - 1))} s`);
  };
  player.ranged();
  player.onChange(() => {
    if (document.activeElement !== scrub || player.playing || Number(scrub.value) !== player.time) scrub.value = player.time;
    shown.textContent = (player.time - beginning()).toFixed(decimals).replace("-", "−");
    play.parentElement.classList.toggle("playing", player.playing);
    play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
  });

  addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, button, summary") && event.key !== "Escape") return;
    const step = (player.last - player.first) / 100;
    const act = {
      " ": () => player.toggle(),
      ArrowRight: () => player.seek(player.time + step),
      ArrowLeft: () => player.seek(player.time - step),
      Home: () => player.seek(player.first),
      End: () => player.seek(player.last),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
