/** A uPlot chart that follows the width of its element, and the colours of the page. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { theme } from '../frame/theme.ts';

/** Colours for a canvas, which does not know custom properties; they are read from the element's own styles. */
export interface PlotColors {
  text: string;
  grid: string;
  curve: string;
}

/**
 * @param draw makes everything except the width; it is called again when the colours change. The element has the class
 *   `plot`; a screen may give it another `outline-color`, which is the colour of the curve
 * @param data replaces the data of the chart whenever it changes
 * @param dependencies as for `useEffect`: the chart is drawn again when one of them changes
 * @returns for the `ref` of the element
 */
export function usePlot(
  draw: (colors: PlotColors, Plot: typeof uPlot) => Omit<uPlot.Options, 'width'>,
  data: uPlot.AlignedData,
  dependencies: readonly unknown[] = [],
): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const colors = matchMedia('(prefers-color-scheme: dark)');
    let Plot: typeof uPlot | undefined;
    const drawAgain = (): void => {
      if (Plot === undefined) return;
      chart.current?.destroy();
      const { color: text, borderColor: grid, outlineColor: curve } = getComputedStyle(element);
      const options = { ...draw({ text, grid, curve }, Plot), width: element.clientWidth };
      chart.current = new Plot(options, latest.current, element);
    };
    const resize = new ResizeObserver(() => {
      const { height = 0 } = chart.current ?? {};
      chart.current?.setSize({ width: element.clientWidth, height });
    });
    let isGone = false;
    // A third of all that the browser would load otherwise before it shows the first screen.
    const load = async (): Promise<void> => {
      const module = await import('uplot');
      if (isGone) return;
      Plot = module.default;
      drawAgain();
      resize.observe(element);
    };
    void load();
    colors.addEventListener('change', drawAgain);
    return () => {
      isGone = true;
      resize.disconnect();
      colors.removeEventListener('change', drawAgain);
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [theme.value, ...dependencies]);
  useEffect(() => chart.current?.setData(data), [data]);
  return frame;
}
