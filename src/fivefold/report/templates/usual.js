
(() => {
  const explorer = document.querySelector(".explorer");
  if (!explorer) return;
  const part = (name) => explorer.querySelector(`[data-explorer=${name}]`);
  const [model, alarm, miss, place] = ["model", "alarm", "miss", "place"].map(part);
  const say = (name, text) => (part(name).textContent = text);
  const write = (value) => String(Number(value.toPrecision(3)));
  // the first threshold is beyond all probabilities
  const name = (threshold) => (threshold > 1 ? "none" : write(threshold));
  const share = (value) => `${(100 * value).toFixed(1)}%`;
  let points = [];

  const costOf = (point) => Number(alarm.value) * point.falses + Number(miss.value) * point.misses;

  const tick = (at) => {
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    const last = points.length - 1;
    text.setAttribute("x", 10 + (680 * at) / last);
    text.setAttribute("y", 190);
    text.setAttribute("text-anchor", at === 0 ? "start" : at === last ? "end" : "middle");
    text.textContent = name(points[at].threshold);
    return text;
  };

  const read = () => {
    const data = model.selectedOptions[0].dataset;
    const [thresholds, falses, hits, limits] = ["thresholds", "alarms", "hits", "limits"].map((key) =>
      data[key].split(" "),
    );
    const [events, others] = [Number(data.events), Number(data.others)];
    points = thresholds.map((threshold, at) => ({
      threshold: Number(threshold),
      falses: Number(falses[at]),
      hits: Number(hits[at]),
      misses: events - hits[at],
      events,
      others,
      n: events + others,
      // exact limits of the two shares of errors that a cost is made of: of false alarms, of misses
      limits: limits[at].split(",").map(Number),
    }));
    place.max = points.length - 1;
    const marked = [0.1, 0.3, 0.5, 0.7, 0.9].map((share) => Math.round(share * (points.length - 1)));
    part("ticks").replaceChildren(...[...new Set(marked)].map(tick));
  };

  const show = () => {
    const costs = points.map((point) => costOf(point) / point.n);
    const least = costs.indexOf(Math.min(...costs));
    const top = Math.max(...costs) || 1;
    const x = (at) => (10 + (680 * at) / (points.length - 1)).toFixed(1);
    const y = (cost) => (166 - (136 * cost) / top).toFixed(1);
    const now = points[place.value];
    const cost = costs[place.value];
    const ends = [0, 1].map((end) =>
      Math.hypot(
        alarm.value * (now.falses / now.n - now.limits[end]),
        miss.value * (now.misses / now.n - now.limits[2 + end]),
      ),
    );
    part("line").setAttribute("d", `M${costs.map((each, at) => `${x(at)},${y(each)}`).join("L")}`);
    part("least").setAttribute("d", `M${x(least)},${y(costs[least]) - 3}l6,-10h-12z`);
    part("now").setAttribute("d", `M${x(place.value)},28V172`);
    say("top", `cost per case, up to ${write(top)}`);
    place.setAttribute("aria-valuetext", `${name(now.threshold)}, cost per case ${write(cost)}`);
    say("threshold", name(now.threshold));
    say("cost", `${write(cost)} (95% interval ${write(Math.max(0, cost - ends[0]))} to ${write(cost + ends[1])})`);
    say("alarms", share((now.falses + now.hits) / now.n));
    say("false", `${now.falses.toLocaleString("en")} of ${now.others.toLocaleString("en")}`);
    say("misses", `${now.misses.toLocaleString("en")} of ${now.events.toLocaleString("en")}`);
    say("best", `${name(points[least].threshold)}: ${write(costs[least])} per case`);
    const [first, second] = [Number(alarm.value), Number(miss.value)];
    say("rule", first + second > 0 ? write(first / (first + second)) : "any");
    return least;
  };

  const start = () => {
    read();
    place.value = model.selectedOptions[0].dataset.start;
    show();
  };
  model.addEventListener("input", start);
  [alarm, miss, place].forEach((each) => each.addEventListener("input", show));
  part("cheapest").addEventListener("click", () => {
    place.value = show();
    show();
  });
  explorer.hidden = false;
  start();
})();
