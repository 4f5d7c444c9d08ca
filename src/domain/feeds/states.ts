/** The 50 states, the District of Columbia and the territories that the Postal Service gives a two-letter code. */
export const STATES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI ' +
    'SC SD TN TX UT VT VA WA WV WI WY DC PR GU VI AS MP'
  ).split(' '),
)

/** The Postal Service's codes for the armed forces in the Americas, Europe and the Pacific. */
export const MILITARY_MAIL: ReadonlySet<string> = new Set(['AA', 'AE', 'AP'])
