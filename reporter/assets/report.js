// Draws each chart of a report page: the options stand as JSON in the script element behind the chart's box. Colours
// come from the style sheet, so that the charts follow light and dark.
(function () {
  'use strict';

  const ROW = 30; // height of a bar that lies on its side, in pixels

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  // Options that depend on the screen; merged over those of the page.
  function dress(box) {
    const axis = {
      axisLine: { lineStyle: { color: colour('--line') } },
      axisTick: { show: false },
      axisLabel: { color: colour('--muted') },
      splitLine: { lineStyle: { color: colour('--line') } }
    };
    const letters = box.clientWidth < 500 ? 18 : 32;
    const names = { axisLabel: { formatter: function (name) { return shorten(name, letters); } } };
    return {
      color: [colour('--accent')],
      textStyle: { fontFamily: getComputedStyle(box).fontFamily },
      tooltip: {
        backgroundColor: colour('--card'),
        borderColor: colour('--line'),
        textStyle: { color: colour('--ink') },
        axisPointer: { shadowStyle: { color: colour('--shade') } }
      },
      xAxis: [axis],
      yAxis: [Number(box.dataset.rows) > 0 ? merge(axis, names) : axis]
    };
  }

  // Paths differ at their ends more than at their beginnings: what is too long loses its middle.
  function shorten(path, letters) {
    const all = Array.from(path);
    if (all.length <= letters) {
      return path;
    }
    const head = Math.floor(letters / 3);
    return all.slice(0, head).join('') + '…' + all.slice(head + 1 - letters).join('');
  }

  function merge(base, extra) {
    const out = Object.assign({}, base);
    for (const key of Object.keys(extra)) {
      out[key] = Object.assign({}, base[key], extra[key]);
    }
    return out;
  }

  function draw(source) {
    const box = source.previousElementSibling;
    const rows = Number(box.dataset.rows);
    if (rows > 0) {
      box.style.height = (rows * ROW + 40) + 'px';
    }
    box.hidden = false;
    const chart = window.echarts.init(box);
    chart.setOption(JSON.parse(source.textContent));
    chart.setOption(dress(box));
    new ResizeObserver(function () { chart.resize(); }).observe(box);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', function () {
      chart.setOption(dress(box));
    });
  }

  if (window.echarts) {
    document.querySelectorAll('script.chart-options').forEach(draw);
  } else {
    document.querySelectorAll('details').forEach(function (d) { d.open = true; });
  }
})();
