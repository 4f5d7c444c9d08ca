/** Where most people of a state or territory live decides its zone: fourteen states have two. */
const STATES_OF_ZONE: Record<string, string> = {
  'America/New_York': 'CT DC DE FL GA KY MA MD ME NC NH NJ NY OH PA RI SC VA VT WV',
  'America/Detroit': 'MI',
  'America/Indiana/Indianapolis': 'IN',
  'America/Chicago': 'AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI',
  'America/Denver': 'CO MT NM UT WY',
  'America/Boise': 'ID',
  'America/Phoenix': 'AZ',
  'America/Los_Angeles': 'CA NV OR WA',
  'America/Anchorage': 'AK',
  'Pacific/Honolulu': 'HI',
  'America/Puerto_Rico': 'PR VI',
  'Pacific/Guam': 'GU MP',
  'Pacific/Pago_Pago': 'AS',
}

const ZONE_OF_STATE = new Map(
  Object.entries(STATES_OF_ZONE).flatMap(([zone, states]) =>
    states.split(' ').map(state => [state, zone] as const),
  ),
)

/** The IANA time zone of most of a state; that of Washington where no state is known. */
export function zoneOfState(state: string | null): string {
  return ZONE_OF_STATE.get(state ?? '') ?? 'America/New_York'
}
