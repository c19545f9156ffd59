import { check, choice, field, named, type FieldGroup } from './fields.ts';
import { languages } from './languages.ts';

/** profile lists the settings of the organization's profile. */
export const profile: readonly FieldGroup[] = [
  {
    fields: [
      named('name', 'realm_name', { kind: 'text' }),
      named('description', 'realm_description', { kind: 'text', lines: 4 }),
      field(
        'org_type',
        choice(
          [0, 'typeUnspecified'],
          [10, 'typeBusiness'],
          [20, 'typeOpensource'],
          [30, 'typeEducationNonprofit'],
          [35, 'typeEducation'],
          [40, 'typeResearch'],
          [50, 'typeEvent'],
          [60, 'typeNonprofit'],
          [70, 'typeGovernment'],
          [80, 'typePolitical'],
          [90, 'typeCommunity'],
          [100, 'typePersonal'],
          [1000, 'typeOther'],
        ),
      ),
      named('default_language', 'realm_default_language', { kind: 'choice', options: languages }),
      field('want_advertise_in_communities_directory', check),
    ],
  },
];
