/** A shorter movement is a click. */
const CLICK_PIXELS = 4;

/**
 * Follows the pointer until it is released, on the whole page: what was pressed may be replaced while it moves.
 * @param onMove called with the distance from where it was pressed
 * @param onClick called if it is released there
 */
export function followPointer(
  { clientX, clientY, button }: PointerEvent,
  onMove: (dx: number, dy: number) => void,
  onClick?: () => void,
): void {
  if (button !== 0) return;
  const controller = new AbortController();
  const { signal } = controller;
  let isMoved = false;
  const move = (event: PointerEvent): void => {
    const [dx, dy] = [event.clientX - clientX, event.clientY - clientY];
    isMoved ||= Math.hypot(dx, dy) > CLICK_PIXELS;
    if (isMoved) onMove(dx, dy);
  };
  const end = ({ type }: PointerEvent): void => {
    controller.abort();
    if (!isMoved && type === 'pointerup') onClick?.();
  };
  addEventListener('pointermove', move, { signal });
  addEventListener('pointerup', end, { signal });
  addEventListener('pointercancel', end, { signal });
}
