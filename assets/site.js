// The only script of the pages: countdowns, copy buttons, orders that apply themselves, photos that fail and the time zone.
// Every page works without it. Loaded with `defer`, so the page is read. No dependency, no request, nothing stored.

const COPIED_MS = 2_000

/* A photo that its source refuses leaves the drawing behind it. */
const failed = image => image.complete && image.naturalWidth === 0
for (const image of document.querySelectorAll('.photo img')) {
  const takeOut = () => (image.closest('button') ?? image).remove()
  if (failed(image)) takeOut()
  else image.addEventListener('error', takeOut)
}

/* <time class="countdown" datetime="2026-11-22T10:00:00Z">: "2 days 4 h left", as the server writes it. */
const countdowns = [...document.querySelectorAll('time.countdown')]
const plural = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`

function timeLeft(seconds) {
  if (seconds <= 0) return 'Ended'
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24]
  const minutes = Math.floor(seconds / 60) % 60
  if (days > 0) return `${plural(days, 'day')}${hours > 0 ? ` ${hours} h` : ''} left`
  if (hours > 0) return `${hours} h${minutes > 0 ? ` ${minutes} min` : ''} left`
  return `${minutes > 0 ? `${minutes} min ` : ''}${Math.floor(seconds % 60)} s left`
}

function count() {
  for (const time of countdowns) {
    const words = timeLeft((Date.parse(time.dateTime) - Date.now()) / 1_000)
    if (time.textContent !== words) time.textContent = words
  }
}

if (countdowns.length > 0) setInterval(count, 1_000)

/* A button on each block of code, and on what has data-copy="text": its button is hidden where there is no script. */
function copies(button, text) {
  const words = button.textContent
  button.type = 'button'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text()).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Press Ctrl+C'),
    )
    setTimeout(() => (button.textContent = words), COPIED_MS)
  })
}

if (navigator.clipboard) {
  for (const block of document.querySelectorAll('.page pre')) {
    const button = document.createElement('button')
    button.className = 'copy'
    button.textContent = 'Copy'
    copies(button, () => block.textContent.replace(/\n$/, ''))
    const frame = document.createElement('div')
    frame.className = 'code'
    block.replaceWith(frame)
    frame.append(block, button)
  }
  for (const button of document.querySelectorAll('button[data-copy]')) {
    copies(button, () => button.dataset.copy)
    button.hidden = false
  }
}

/* The form of a sign-in says the time zone, for an account that has none. */
for (const zone of document.querySelectorAll('input[name="time_zone"]'))
  zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''

/* An order applies itself. */
for (const order of document.querySelectorAll('.order')) {
  order.querySelector('button').hidden = true
  order
    .querySelector('select')
    .addEventListener('change', event => event.target.form.requestSubmit())
}
